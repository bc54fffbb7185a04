import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { UnusableDirectory } from "../../base/faults.ts";
import { seededRandom } from "../../base/random.ts";
import { type LogFields, silentLog } from "../../observability/log.ts";
import type { Key } from "../kv.ts";
import {
  JOURNAL_STEP_BYTES,
  Journal,
  type JournalRecord,
  recordsAfter as readRecordsAfter,
  removeJournal,
} from "./journal.ts";
import { type JournalMark, packMark, unpackMark } from "./journal-mark.ts";

type Writes = Map<Key, Buffer | null>;

const root = mkdtempSync(join(tmpdir(), "holdfast-test-"));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => mkdtempSync(join(root, `${count++}-`));
const BLOCK = 4_096;

const one = (key: Key, value: string | null): Writes =>
  new Map([[key, value === null ? null : Buffer.from(value)]]);

/** As a database would have them. */
const marks = new Map<string, JournalMark>();

const recordsAfter = (directory: string, applied: number, log = silentLog): JournalRecord[] =>
  readRecordsAfter({ directory, applied, mark: marks.get(directory), log });

async function written(directory: string, batches: readonly Writes[], first = 1): Promise<Journal> {
  const journal = new Journal(directory, marks.get(directory));
  const mark = journal.prepare();
  journal.begin(mark);
  marks.set(directory, mark);
  for (const [index, writes] of batches.entries()) await journal.append(first + index, writes);
  return journal;
}

function spoil(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

test("what was appended is read again: keys of any bytes, values of any length, deletions", async () => {
  const directory = fresh();
  const random = seededRandom(7);
  const batches = Array.from({ length: 40 }, (_, batch) => {
    const writes: Writes = new Map();
    for (let write = 0; write < 1 + (batch % 9); write++) {
      const key = random.bytes(1 + Math.floor(random.fraction() * 1_900)).toString("latin1");
      const isDeleted = random.fraction() < 0.2;
      writes.set(key, isDeleted ? null : random.bytes(Math.floor(random.fraction() ** 4 * 90_000)));
    }
    return writes;
  });
  (await written(directory, batches)).close();
  const found = recordsAfter(directory, 0);
  assert.deepEqual(
    found.map(({ commit }) => commit),
    batches.map((_, index) => index + 1),
  );
  for (const [index, { writes }] of found.entries()) assert.deepEqual(writes, batches[index]);
  assert.deepEqual(
    recordsAfter(directory, 38).map(({ commit }) => commit),
    [39, 40],
  );
});

test("a record longer than the file, and than the memory kept for records, makes it grow", async () => {
  const directory = fresh();
  const value = seededRandom(1).bytes(3 * JOURNAL_STEP_BYTES);
  const journal = await written(directory, [new Map([["long", value]]), one("short", "x")]);
  journal.close();
  const [long, short] = recordsAfter(directory, 0);
  assert.ok(long!.writes.get("long")!.equals(value));
  assert.equal(String(short!.writes.get("short")), "x");
  assert.equal(statSync(join(directory, "journal-a")).size % BLOCK, 0);
});

test("the files alternate, and older records are not read as new ones", async () => {
  const directory = fresh();
  const journal = await written(directory, [one("a", "1"), one("a", "2"), one("a", "3")]);
  journal.rotate();
  await journal.append(4, one("b", "4"));
  journal.rotate();
  await journal.append(5, one("a", "5"));
  journal.close();
  // Commit 2 and 3 lie behind commit 5 in the first file.
  assert.deepEqual(
    recordsAfter(directory, 3).map(({ commit }) => commit),
    [4, 5],
  );
});

test("a record that was cut short, at any of its blocks, is not there; those before it are", async () => {
  const directory = fresh();
  const path = join(directory, "journal-a");
  const value = seededRandom(3).bytes(5 * BLOCK);
  (await written(directory, [one("a", "kept"), new Map([["b", value]])])).close();
  const whole = readFileSync(path);
  const start = 2 * BLOCK;
  for (let lost = 0; lost < 6; lost++) {
    const bytes = Buffer.from(whole);
    bytes.fill(0, start + lost * BLOCK, start + (lost + 1) * BLOCK);
    writeFileSync(path, bytes);
    assert.equal(recordsAfter(directory, 0).length, 1, `without block ${lost}`);
  }
});

test("a damaged record with others after it is not passed over in silence", async () => {
  const directory = fresh();
  const path = join(directory, "journal-a");
  (await written(directory, [one("a", "1"), one("a", "2"), one("a", "3")])).close();
  spoil(path, 2 * BLOCK + 55);
  assert.throws(() => recordsAfter(directory, 0), UnusableDirectory);
  assert.throws(() => recordsAfter(directory, 1), /commit 2 is missing before commit 3/);
  assert.equal(recordsAfter(directory, 2).length, 1, "once the database has it, it does not matter");
});

test("a dirty journal is refused when a file is missing, foreign, cut, of another run or has another header", async () => {
  const other = fresh();
  (await written(other, [one("a", "1")])).close();
  const directory = fresh();
  const value = Buffer.alloc(2 * JOURNAL_STEP_BYTES, "x");
  const journal = await written(directory, [new Map([["a", value]]), one("a", "2")]);
  journal.rotate();
  await journal.append(3, one("b", "3"));
  journal.close();
  assert.equal(recordsAfter(directory, 0).length, 3);
  for (const name of ["journal-a", "journal-b"]) {
    const path = join(directory, name);
    const whole = readFileSync(path);
    const refused = (damage: RegExp): void => {
      assert.throws(
        () => recordsAfter(directory, 0),
        (error: unknown) =>
          error instanceof UnusableDirectory && error.message.startsWith(path) && damage.test(error.message),
      );
      writeFileSync(path, whole);
    };
    rmSync(path);
    refused(/is missing/);
    writeFileSync(path, readFileSync(join(other, name)));
    refused(/generation 1 or another database/);
    truncateSync(path, whole.length - JOURNAL_STEP_BYTES / 2);
    refused(/it has \d+ bytes of \d+/);
    for (let at = 0; at < 48; at++) {
      spoil(path, at);
      refused(/header/);
    }
  }
  assert.equal(recordsAfter(directory, 0).length, 3);
});

test("a file of an earlier run is refused, and a clean journal needs no file", async () => {
  const directory = fresh();
  (await written(directory, [one("a", "1")])).close();
  const earlier = readFileSync(join(directory, "journal-a"));
  const clean = { ...marks.get(directory)!, isDirty: false };
  marks.set(directory, clean);
  (await written(directory, [one("a", "2")], 2)).close();
  writeFileSync(join(directory, "journal-a"), earlier);
  assert.throws(() => recordsAfter(directory, 1), /journal-a is damaged: it belongs to generation 1 .* 2/);
  marks.set(directory, clean);
  assert.deepEqual(recordsAfter(directory, 1), []);
  assert.throws(() => recordsAfter(directory, 0), /expects no records/);
  removeJournal(directory);
  assert.deepEqual(recordsAfter(directory, 0), []);
});

test("a last record that is incomplete or damaged is logged with its number; two are refused", async () => {
  const directory = fresh();
  const path = join(directory, "journal-a");
  (await written(directory, [one("a", "1"), one("a", "2"), one("a", "3")])).close();
  const lines: LogFields[] = [];
  const log = { ...silentLog, error: (fields: LogFields) => void lines.push(fields) };
  for (const at of [0, 5, 9, 17, 21, 25, 41, 55]) {
    spoil(path, 3 * BLOCK + at);
    lines.length = 0;
    assert.equal(recordsAfter(directory, 0, log).length, 2);
    assert.deepEqual(lines, [{ path, at: 3 * BLOCK, commit: 3 }], `damaged at ${at}`);
    spoil(path, 3 * BLOCK + at);
  }
  for (const at of [2, 3]) spoil(path, at * BLOCK + 55);
  assert.throws(() => recordsAfter(directory, 0), /2 records after commit 1 are damaged/);
  assert.equal(recordsAfter(directory, 2).length, 0, "once the database has it, it does not matter");
});

test("the mark of the journal keeps its values", () => {
  const mark = { isDirty: true, generation: 7n, salts: [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] };
  assert.deepEqual(unpackMark(packMark(mark)), mark);
  assert.equal(unpackMark(undefined), undefined);
  assert.throws(() => unpackMark(Buffer.of(9)), UnusableDirectory);
});

test("bytes of a client that look like a record, on a block of their own, are not one", async () => {
  const other = fresh();
  (await written(other, [one("forged", "x")], 3)).close();
  const forged = readFileSync(join(other, "journal-a")).subarray(BLOCK, 2 * BLOCK);
  const directory = fresh();
  const path = join(directory, "journal-a");
  // The value begins 55 bytes into the record: this puts the forged one on the record's second block.
  const key = "k";
  const value = Buffer.concat([Buffer.alloc(BLOCK - 48 - 6 - key.length), forged]);
  (await written(directory, [one("a", "1"), new Map([[key, value]])])).close();
  const bytes = readFileSync(path);
  assert.ok(bytes.subarray(3 * BLOCK, 4 * BLOCK).equals(forged), "it lies where a record would");
  spoil(path, 2 * BLOCK + 60);
  assert.deepEqual(
    recordsAfter(directory, 0).map(({ commit }) => commit),
    [1],
  );
});

test("a journal that is not needed any more goes, and none is no trouble", async () => {
  const directory = fresh();
  assert.deepEqual(recordsAfter(directory, 0), []);
  (await written(directory, [one("a", "1")])).close();
  removeJournal(directory);
  marks.delete(directory);
  assert.deepEqual(recordsAfter(directory, 0), []);
});
