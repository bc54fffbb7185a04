import assert from "node:assert/strict";
import { test } from "node:test";
import { continueAsync, type Store } from "./kv.ts";
import { MemoryStore } from "./memory/memory-store.ts";

const letOthersRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Run = <T>(store: Store, run: () => Promise<T>) => Promise<T>;

const WAYS: Readonly<Record<string, Run>> = {
  read: (store, run) => store.read(run),
  view: async (store, run) => store.view(() => continueAsync(run)),
};

for (const [name, run] of Object.entries(WAYS)) {
  test(`${name}: readsEnded waits for the reads that had begun, and for no others`, async () => {
    const store = new MemoryStore();
    await run(store, async () => {});
    await store.readsEnded();

    const endings: (() => void)[] = [];
    const begin = (): Promise<void> =>
      run(store, () => new Promise<void>((resolve) => endings.push(resolve)));
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

  test(`${name}: readsEnded does not wait for a read that failed`, async () => {
    const store = new MemoryStore();
    const failed = async (): Promise<void> => {
      await letOthersRun();
      throw new RangeError("no");
    };
    const reading = run(store, failed);
    const ended = store.readsEnded();
    await assert.rejects(reading, RangeError);
    await assert.rejects(async () => store.view((): never => assert.fail(new RangeError("no"))), RangeError);
    await ended;
    await store.readsEnded();
  });
}
