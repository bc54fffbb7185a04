import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { WatchedStore } from "./watched-store.ts";

const letOthersRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

for (const name of ["read", "readMaybeSync"] as const) {
  test(`${name}: whoever removes files waits for the reads that had begun, and for no others`, async () => {
    const store = new WatchedStore(new MemoryStore());
    await store[name]((read) => read.get("before"));
    await store.readsEnded();

    const endings: (() => void)[] = [];
    const begin = (): Promise<void> =>
      Promise.resolve(store[name](() => new Promise<void>((resolve) => endings.push(resolve))));
    const first = begin();
    let isEnded = false;
    const ended = store.readsEnded().then(() => {
      isEnded = true;
    });
    const later = begin();
    await letOthersRun();
    assert.equal(isEnded, false);
    endings[0]!();
    await first;
    await ended;
    endings[1]!();
    await later;
  });

  test(`${name}: a read that fails is waited for no longer`, async () => {
    const store = new WatchedStore(new MemoryStore());
    const failed = async (): Promise<void> => {
      await letOthersRun();
      throw new RangeError("no");
    };
    const reading = Promise.resolve(store[name](failed));
    const ended = store.readsEnded();
    await assert.rejects(reading, RangeError);
    await assert.rejects(async () => store[name]((): never => assert.fail(new RangeError("no"))), RangeError);
    await ended;
    await store.readsEnded();
  });
}
