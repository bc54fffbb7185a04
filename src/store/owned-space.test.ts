import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../base/clock.ts";
import { OutcomeUnknown } from "../base/faults.ts";
import { Refusal } from "../base/refusals.ts";
import type { KeySpace, Writer } from "./kv.ts";
import { MemorySpace } from "./memory/memory-store.ts";
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

/** Makes the next write and rejects with an unknown outcome; `know` resolves it later. */
function doubtful(space: KeySpace): { space: KeySpace; doubtNext(): void; know(landed: boolean): void } {
  let know = (_: boolean): void => {};
  let isNext = false;
  const write = async <T>(fn: (write: Writer) => T | Promise<T>): Promise<T> => {
    const isInDoubt = isNext;
    isNext = false;
    const value = await space.write(fn);
    if (isInDoubt) throw new OutcomeUnknown("no answer", new Promise((resolve) => (know = resolve)));
    return value;
  };
  const doubtNext = (): void => {
    isNext = true;
  };
  return { space: { read: (fn) => space.read(fn), write }, doubtNext, know: (landed) => know(landed) };
}

test("what a write of unknown outcome has created is removed when it turns out to be there", async () => {
  const inner = doubtful(new MemorySpace(new ManualClock()));
  const space = new OwnedSpace(inner.space, "one");
  const keys = ["changed", "created", "later", "old"];
  const show = (): Promise<string[]> =>
    space.read(async (read) => (await read.getMany(keys)).map((value) => value?.toString() ?? "-"));
  await space.write(async (write) => {
    write.put("changed", Buffer.from("before"));
    write.put("old", Buffer.from("before"));
  });
  inner.doubtNext();
  const writing = space.write(async (write) => {
    write.put("changed", Buffer.from("after"));
    write.put("created", Buffer.from("new"));
    write.put("later", Buffer.from("new"));
    write.delete("old");
  });
  await assert.rejects(writing, OutcomeUnknown);
  await space.write(async (write) => write.put("later", Buffer.from("changed by another")));
  inner.know(true);
  for (let tries = 0; tries < 1_000 && (await show())[1] !== "-"; tries++)
    await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await show(), ["after", "-", "changed by another", "-"]);
  await space.releaseOwner("one");
  assert.deepEqual(await show(), ["-", "-", "-", "-"]);
});
