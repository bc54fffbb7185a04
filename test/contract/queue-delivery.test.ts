import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deliverAll } from "../support/queue-delivery.ts";
import { seedOfThisRun } from "../support/seed.ts";

for (const { name, messages, killEveryMillis } of [
  { name: "two workers", messages: 1_000, killEveryMillis: undefined },
  { name: "two workers, one of them killed now and then", messages: 1_500, killEveryMillis: 500 },
]) {
  test(`${name}: each message is deleted once and is delivered to no other client while hidden`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "holdfast-delivery-"));
    try {
      const delivery = await deliverAll({
        directory,
        messages,
        producers: 8,
        consumers: 8,
        workers: 2,
        hideForSeconds: 2,
        ...(killEveryMillis === undefined ? {} : { killEveryMillis, killsMax: 3 }),
        seed: seedOfThisRun(t),
        progress: () => {},
      });
      t.diagnostic(delivery.summary);
      assert.deepEqual(delivery.faults, []);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}
