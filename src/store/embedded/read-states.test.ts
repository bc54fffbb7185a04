import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { MIB } from "../../base/limits.ts";
import type { PendingWrites } from "../overlay.ts";
import { EmbeddedStore } from "./embedded-store.ts";
import type { LmdbSnapshot } from "./lmdb.ts";
import { ReadStates } from "./read-states.ts";

/** A database that reports which of its snapshots are pinned. */
function countedDatabase() {
  const pinned = new Set<LmdbSnapshot>();
  return {
    pinned,
    acquire() {
      const snapshot = { get: () => undefined, page: () => [] } as unknown as LmdbSnapshot;
      pinned.add(snapshot);
      return snapshot;
    },
    release(snapshot: LmdbSnapshot) {
      assert.ok(pinned.delete(snapshot), "released once");
    },
  };
}

test("reads share a state until something is committed, and it goes with its last reader", () => {
  const database = countedDatabase();
  let view: readonly PendingWrites[] = [];
  const states = new ReadStates(database, { view: () => view });
  const [first, second] = [states.begin(), states.begin()];
  assert.equal(first, second);
  states.end(first);
  states.end(second);
  const third = states.begin();
  assert.equal(third, first);
  view = [];
  const later = states.begin();
  assert.notEqual(later, first);
  assert.equal(database.pinned.size, 2);
  states.end(third);
  assert.deepEqual([...database.pinned], [later.snapshot]);
  states.end(later);
  assert.deepEqual([...database.pinned], [later.snapshot]);
});

test("a state is released when the database has a newer one, at once or when its last reader ends", () => {
  const database = countedDatabase();
  const states = new ReadStates(database, { view: () => [] });
  states.releaseNewest();
  states.end(states.begin());
  states.releaseNewest();
  assert.equal(database.pinned.size, 0);
  const state = states.begin();
  states.releaseNewest();
  assert.deepEqual([...database.pinned], [state.snapshot]);
  states.end(state);
  assert.equal(database.pinned.size, 0);
});

test("where others write, every read has a state of its own", () => {
  const database = countedDatabase();
  const states = new ReadStates(database, undefined);
  const [first, second] = [states.begin(), states.begin()];
  assert.notEqual(first.snapshot, second.snapshot);
  states.end(first);
  states.end(second);
  assert.equal(database.pinned.size, 0);
});

test("a database that was read once does not grow with what is written afterwards", async () => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  const store = new EmbeddedStore({
    directory,
    owner: "test",
    onFatal: (error) => assert.fail(String(error)),
  });
  try {
    const value = Buffer.alloc(MIB);
    for (let round = 0; round < 150; round++) {
      await store.write((write) => write.put("a", value.fill(round)));
      // The first rounds are read: what they read must not be kept for the others.
      if (round < 3) assert.equal((await store.read((read) => read.get("a")))?.[0], round);
    }
    assert.equal((await store.read((read) => read.get("a")))?.[0], 149);
  } finally {
    await store.close();
  }
  const { size } = statSync(join(directory, "records.mdb"));
  assert.ok(size < 20 * MIB, `${size}`);
  rmSync(directory, { recursive: true });
});
