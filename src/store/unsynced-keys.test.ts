import assert from "node:assert/strict";
import { test } from "node:test";
import { full, increment, open } from "../../test/support/slow-disk.ts";
import { StorageFault } from "../base/faults.ts";
import { NotYetDurable, WatchedSnapshot } from "./unsynced-keys.ts";

test("an async commit resolves when it has run; readers get the keys to wait for", async () => {
  const { disk, writer } = open();
  assert.deepEqual(writer.unsynced(), []);
  const { value, durable } = await writer.commitAsync(increment("a"));
  assert.equal(value, 1);
  let isDurable = false;
  void durable().then(() => {
    isDurable = true;
  });
  const [keys] = writer.unsynced();
  const watched = new WatchedSnapshot(disk.map.snapshot(), writer.unsynced());
  assert.throws(() => watched.get("a"), NotYetDurable);
  assert.throws(() => watched.page({ from: "", to: "b" }, 10), NotYetDurable);
  assert.equal(watched.get("b"), undefined);
  assert.deepEqual(watched.page({ from: "b", to: "c" }, 10), []);
  const commit = await disk.next();
  const later = await writer.commitAsync(increment("b"));
  assert.equal(writer.unsynced().length, 2, "one on its way, and one that will follow");
  assert.equal(isDurable, false);
  commit.end();
  await keys!.ended();
  await durable();
  assert.equal(disk.map.snapshot().get("a")?.toString(), "1");
  (await disk.next()).end();
  await later.durable();
  assert.deepEqual(writer.unsynced(), []);
  await writer.close();
});

test("a refusal waits for the sync, and durable() rejects for a lost transaction", async () => {
  const { disk, writer } = open();
  const first = await writer.commitAsync(increment("a"));
  let isHeard = false;
  const refused = writer
    .commitAsync(async (write) => {
      throw new Error(`refused at ${await write.get("a")}`);
    })
    .catch((error: Error) => {
      isHeard = true;
      return error.message;
    });
  const commit = await disk.next();
  // This one stands on the first, is answered, and has to run again.
  const second = await writer.commitAsync(increment("a"));
  assert.equal(second.value, 2);
  assert.equal(isHeard, false, "it reveals a write that may be lost");
  commit.end(full);
  await assert.rejects(first.durable(), StorageFault);
  assert.equal(await refused.then(() => isHeard), true);
  const watched = new WatchedSnapshot(disk.map.snapshot(), writer.unsynced());
  assert.throws(() => watched.get("a"), NotYetDurable, "the second is still to be waited for");
  const waited = Promise.all(writer.unsynced().map((keys) => keys.ended()));
  (await disk.next()).end();
  await second.durable();
  await waited;
  assert.equal(disk.map.snapshot().get("a")?.toString(), "1", "of the two, only the second is there");
  await writer.close();
});
