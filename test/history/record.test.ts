import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Product } from "../support/product.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { recordHistory } from "./record.ts";

/** The beginning of the proof `histories`, short enough for every day. */
test("clients of all services see one copy, over three workers of which one is killed", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "holdfast-history-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const product = new Product({ directory: join(root, "data"), workers: 3 });
  await product.start();
  try {
    const outcome = await recordHistory({
      subject: product,
      name: "history",
      seed: seedOfThisRun(t),
      clients: 4,
      operations: 800,
      kills: 1,
      kill: "one",
      isAnybodyKilled: true,
    });
    assert.equal(outcome.fault, undefined);
    assert.ok(outcome.operations >= 800);
    t.diagnostic(`${outcome.operations} operations, ${outcome.unacknowledged} unacknowledged`);
  } finally {
    await product.stop("SIGKILL");
  }
});
