import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { OutOfSpace } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import { seededRandom } from "../../base/random.ts";
import { silentLog } from "../../observability/log.ts";
import type { Entry, Key, Range } from "../kv.ts";
import type { Snapshot } from "../overlay.ts";
import { JOURNAL_STEP_BYTES } from "./journal.ts";
import { JOURNAL_KEY, unpackMark } from "./journal-mark.ts";
import { COMMIT_KEY, JournaledCommits, unpackCommit } from "./journaled-commits.ts";
import { LayeredSnapshot } from "./journaled-writes.ts";
import type { WriteSet } from "./lmdb.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-test-"));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => mkdtempSync(join(root, `${count++}-`));

/** A database in memory, whose checkpoints complete when the test says so. */
class SlowDatabase {
  state = new Map<Key, Buffer>();
  waiting: (() => void)[] = [];
  isOpen = true;
  isFull = false;

  async checkpoint(writes: WriteSet): Promise<void> {
    // The mark of the journal; the test is about checkpoints.
    if (writes instanceof Map) return this.#apply(writes);
    if (this.isFull) throw new OutOfSpace("full");
    if (!this.isOpen) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.#apply(writes);
  }

  #apply(writes: WriteSet): void {
    const next = new Map(this.state);
    writes.forEach((value, key) => {
      if (value === null) next.delete(key);
      else next.set(key, value);
    });
    this.state = next;
  }

  proceed(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  get applied(): number {
    return unpackCommit(this.state.get(COMMIT_KEY));
  }

  snapshot(): Snapshot {
    return plain(this.state);
  }
}

function plain(state: ReadonlyMap<Key, Buffer>): Snapshot {
  return {
    get: (key) => state.get(key),
    page({ from, to, reverse = false }: Range, limit: number): Entry[] {
      const keys = [...state.keys()].filter((key) => key >= from && key < to).sort();
      if (reverse) keys.reverse();
      return keys.slice(0, limit).map((key) => ({ key, value: state.get(key)! }));
    },
  };
}

const open = (directory: string, database: SlowDatabase): JournaledCommits =>
  new JournaledCommits({
    directory,
    applied: database.applied,
    mark: unpackMark(database.state.get(JOURNAL_KEY)),
    log: silentLog,
    checkpoint: (writes) => database.checkpoint(writes),
    onFatal: (error) => Promise.reject(error),
  });

const one = (key: Key, value: string | null): Map<Key, Buffer | null> =>
  new Map([[key, value === null ? null : Buffer.from(value)]]);

test("readers see what was committed before they began, whatever comes later: against plain maps", async () => {
  const random = seededRandom(11);
  const database = new SlowDatabase();
  const commits = open(fresh(), database);
  const model = new Map<Key, Buffer>();
  const readers: { readonly seen: Snapshot; readonly expected: Snapshot }[] = [];
  const key = (): Key => `k${Math.floor(random.fraction() * 30)}`;
  for (let step = 0; step < 600; step++) {
    const writes = new Map<Key, Buffer | null>();
    for (let write = 0; write < 1 + (step % 4); write++)
      writes.set(key(), random.fraction() < 0.3 ? null : random.bytes(8));
    await commits.commit(writes);
    for (const [name, value] of writes) {
      if (value === null) model.delete(name);
      else model.set(name, value);
    }
    database.isOpen = random.fraction() < 0.5;
    if (random.fraction() < 0.3) database.proceed();
    if (random.fraction() < 0.1) await new Promise((resolve) => setTimeout(resolve, 2));
    const seen = new LayeredSnapshot(commits.view(), database.snapshot());
    readers.push({ seen, expected: plain(new Map(model)) });
    if (readers.length > 12) readers.shift();
    const { seen: present, expected } = readers[Math.floor(random.fraction() * readers.length)]!;
    const [from, to] = [key(), key()].sort() as [Key, Key];
    const range = { from, to, reverse: random.fraction() < 0.5 };
    const limit = 1 + Math.floor(random.fraction() * 10);
    assert.deepEqual(present.page(range, limit), expected.page(range, limit));
    assert.deepEqual(present.get(from), expected.get(from));
  }
  database.isOpen = true;
  database.proceed();
  await commits.close();
  const all = { from: "k", to: "l" };
  assert.deepEqual(database.snapshot().page(all, 99), plain(model).page(all, 99));
});

test("what the database did not have when the process ended is there for the next, which waits for it", async () => {
  const directory = fresh();
  const database = new SlowDatabase();
  database.isOpen = false;
  const first = open(directory, database);
  await first.commit(one("a", "1"));
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(database.waiting.length, 1, "on its way");
  await first.commit(one("a", "2"));
  await first.commit(one("b", "3"));
  // The process dies here: nothing of it ever reaches the database.
  const left = new SlowDatabase();
  left.state = database.state;
  left.isOpen = false;
  const second = open(directory, left);
  const seen = new LayeredSnapshot(second.view(), left.snapshot());
  assert.equal(String(seen.get("a")), "2");
  assert.equal(String(seen.get("b")), "3");
  let isCommitted = false;
  const next = second.commit(one("c", "4")).then(() => {
    isCommitted = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(isCommitted, false, "both files are in use");
  left.isOpen = true;
  left.proceed();
  await next;
  await second.close();
  assert.equal(left.applied, 4);
  const third = open(directory, left);
  assert.deepEqual(third.view(), []);
  await third.close();
});

test("the files do not change places under a record that is on its way", async () => {
  const directory = fresh();
  const database = new SlowDatabase();
  database.isOpen = false;
  const commits = open(directory, database);
  const many = (value: string): Map<Key, Buffer> =>
    new Map(
      Array.from({ length: LIMITS.checkpointWritesMin }, (_, index) => [`m${index}`, Buffer.from(value)]),
    );
  await commits.commit(many("1"));
  await commits.commit(many("2"));
  // While this one is being written, the database has the first, and the second is enough to follow it.
  const written = commits.commit(one("a", "3"));
  database.proceed();
  await written;
  database.proceed();
  await new Promise((resolve) => setTimeout(resolve, 10));
  await commits.commit(many("4"));
  // Longer than all that the file of the second had: nothing of it can be left under this one.
  await commits.commit(new Map([...many("4"), ["b", Buffer.alloc(JOURNAL_STEP_BYTES, "5")]]));

  const copy = fresh();
  cpSync(directory, copy, { recursive: true });
  const left = new SlowDatabase();
  left.state = database.state;
  const next = open(copy, left);
  const seen = new LayeredSnapshot(next.view(), left.snapshot());
  assert.deepEqual(
    ["m0", "a", "b"].map((key) => String(seen.get(key)?.subarray(0, 1))),
    ["4", "3", "5"],
  );
  database.isOpen = true;
  database.proceed();
  await Promise.all([commits.close(), next.close()]);
});

test("without space in the database commits fail, all earlier ones stay visible, and commits resume with space", async () => {
  const directory = fresh();
  const database = new SlowDatabase();
  database.isFull = true;
  const commits = open(directory, database);
  await commits.commit(one("a", "1"));
  await new Promise((resolve) => setTimeout(resolve, 80));
  await assert.rejects(commits.commit(one("b", "2")), OutOfSpace);
  const seen = new LayeredSnapshot(commits.view(), database.snapshot());
  assert.equal(String(seen.get("a")), "1");
  assert.equal(seen.get("b"), undefined);
  database.isFull = false;
  await new Promise((resolve) => setTimeout(resolve, 250));
  await commits.commit(one("b", "3"));
  await commits.close();
  assert.equal(database.applied, 2);
});
