import assert from "node:assert/strict";
import { test } from "node:test";
import { StorageFault } from "../../../src/base/faults.ts";
import {
  bytes,
  EVERYTHING,
  keysIn,
  latch,
  letOthersRun,
  listed,
  type OpenStore,
  onStore,
  putAll,
  readText,
} from "./kit.ts";

export function closingContract(open: OpenStore): void {
  test("close finishes every write that was accepted", () =>
    onStore(open, async (store, { reopen }) => {
      const count = 3_000;
      const nameOf = (index: number): string => String(index).padStart(5, "0");
      const writes = Array.from({ length: count }, (_, index) =>
        store.write(async (write) => {
          if (index % 500 === 0) await letOthersRun(3);
          write.put(nameOf(index), bytes("x"));
          return index;
        }),
      );
      let isClosed = false;
      const closing = store.close().then(() => {
        isClosed = true;
      });
      await assert.rejects(putAll(store, { late: "x" }), StorageFault);
      assert.deepEqual(
        await Promise.all(writes),
        Array.from({ length: count }, (_, index) => index),
      );
      await closing;
      assert.ok(isClosed);
      if (reopen === undefined) return;
      const again = await reopen();
      assert.equal((await keysIn(again, EVERYTHING)).length, count);
    }));

  test("close waits for reads in flight, and they keep their snapshot", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1", b: "2" });
      const go = latch();
      const reading = store.read(async (read) => {
        await go.opened;
        return listed(read, EVERYTHING);
      });
      const closing = store.close();
      await letOthersRun(5);
      go.open();
      assert.deepEqual(await reading, ["a=1", "b=2"]);
      await closing;
    }));

  test("calls after close reject, on both key spaces; closing twice is closing once", () =>
    onStore(open, async (store) => {
      await putAll(store, { a: "1" });
      await Promise.all([store.close(), store.close()]);
      await store.close();
      for (const space of [store, store.ephemeral]) {
        await assert.rejects(readText(space, "a"), StorageFault);
        await assert.rejects(putAll(space, { b: "2" }), StorageFault);
      }
      await assert.rejects(async () => store.view((read) => read.get("a")), StorageFault);
      await assert.rejects(store.ephemeral.releaseOwner("anyone"), StorageFault);
    }));

  test("stats count commits, transactions and bytes", () =>
    onStore(open, async (store) => {
      const before = store.stats();
      await Promise.all(Array.from({ length: 10 }, (_, index) => putAll(store, { [`k${index}`]: "value" })));
      const after = store.stats();
      assert.equal(after.transactions - before.transactions, 10);
      assert.ok(after.commits > before.commits && after.commits - before.commits <= 10);
      assert.ok(after.bytes - before.bytes >= 10 * "value".length);
    }));

  test("what was acknowledged is there after a restart, and so are deletions", () =>
    onStore(open, async (store, { reopen }) => {
      if (reopen === undefined) return;
      await putAll(store, { a: "1", b: "2", c: "3" });
      await store.write(async (write) => {
        write.delete("b");
        write.put("c", bytes("4"));
      });
      const again = await reopen();
      assert.deepEqual(await again.read((read) => listed(read, EVERYTHING)), ["a=1", "c=4"]);
    }));
}
