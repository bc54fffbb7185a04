import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../base/refusals.ts";
import type { KeySpace, Writer } from "./kv.ts";
import { OwnedSpace } from "./owned-space.ts";

test("a read that an engine gives up when the transaction has been refused ends nothing else", async () => {
  let giveUp = (_: Error): void => {};
  const writer = {
    get: () => new Promise<undefined>((_, reject) => (giveUp = reject)),
    put: () => {},
  } as unknown as Writer;
  const engine = { write: (fn: (write: Writer) => Promise<unknown>) => fn(writer) } as unknown as KeySpace;
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => {
    unhandled.push(reason);
  };
  process.on("unhandledRejection", listen);
  try {
    const refused = new OwnedSpace(engine, "one").write(async (write) => {
      write.put("a", Buffer.of(1));
      throw new Refusal("ConditionNotMet");
    });
    await assert.rejects(refused, Refusal);
    giveUp(new Error("the transaction is over"));
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("unhandledRejection", listen);
  }
  assert.deepEqual(unhandled, []);
});
