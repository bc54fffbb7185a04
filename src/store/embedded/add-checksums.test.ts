import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { writeFormat2 } from "../../../test/kit/format-2.ts";
import { systemClock } from "../../base/clock.ts";
import { DamagedData, UnusableDirectory } from "../../base/faults.ts";
import { seededRandom } from "../../base/random.ts";
import type { Key } from "../kv.ts";
import { MemorySpace } from "../memory/memory-store.ts";
import { addChecksums } from "./add-checksums.ts";
import { EmbeddedStore } from "./embedded-store.ts";
import { Database } from "./lmdb.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-test-"));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => mkdtempSync(join(root, `${count++}-`));

const open = (directory: string): EmbeddedStore =>
  new EmbeddedStore({
    directory,
    owner: "test",
    ephemeral: new MemorySpace(systemClock),
    onFatal: (error) => {
      throw error;
    },
  });

function manyRecords(): Map<Key, Buffer> {
  const random = seededRandom(5);
  const records = new Map<Key, Buffer>();
  for (let i = 0; i < 9_000; i++)
    records.set(`k${String(i).padStart(5, "0")}`, random.bytes(Math.floor(random.fraction() ** 8 * 30_000)));
  return records;
}

async function assertHas(store: EmbeddedStore, expected: ReadonlyMap<Key, Buffer | null>): Promise<void> {
  await store.read(async (read) => {
    for (const [key, value] of expected) assert.deepEqual((await read.get(key)) ?? null, value, key);
  });
}

test("a store of format 2 opens with all it had, in the database and in the journal, and stays open to writes", async () => {
  const directory = fresh();
  const records = manyRecords();
  const journaled = [new Map([["k00003", Buffer.from("newer")]]), new Map([["k00004", null]])];
  await writeFormat2(directory, records, journaled);
  const expected = new Map<Key, Buffer | null>([...records, ...journaled[0]!, ...journaled[1]!]);
  for (let start = 0; start < 3; start++) {
    const store = open(directory);
    await assertHas(store, expected);
    const value = Buffer.from(`start ${start}`);
    await store.write(async (write) => write.put("k00005", value));
    expected.set("k00005", value);
    await assertHas(store, expected);
    await store.close();
  }
});

test("an interrupted upgrade continues where it was, and adds no checksum twice", async () => {
  const directory = fresh();
  const records = manyRecords();
  await writeFormat2(directory, records, []);
  const path = join(directory, "records.mdb");
  for (const steps of [1, 1, 9]) {
    const database = new Database({ path, isDurable: true, mapBytes: 2 ** 30 });
    let left = steps;
    try {
      addChecksums(database, path, (writes) => {
        if (left-- === 0) throw new Error("interrupted");
        database.commitNow(writes);
      });
    } catch (error) {
      assert.equal((error as Error).message, "interrupted");
    }
    await database.close();
  }
  const store = open(directory);
  await assertHas(store, records);
  await store.close();
});

test("a store that has lost the mark of its checksums is refused, not upgraded again", async () => {
  const directory = fresh();
  const store = open(directory);
  await store.write(async (write) => write.put("a", Buffer.from("value")));
  await store.close();
  damage(directory, "\0checksums", "\0checksumt");
  assert.throws(() => open(directory), UnusableDirectory);
});

test("a record with one flipped bit is a fault that names it, for reads, ranges and transactions", async () => {
  const directory = fresh();
  const first = open(directory);
  await first.write(async (write) => {
    write.revision();
    write.put("fam\0one\0", Buffer.from("the bytes of one"));
    write.put("fam\0two\0", Buffer.from("the bytes of two"));
  });
  await first.close();
  damage(directory, "the bytes of one", "the bytes of onE");
  const store = open(directory);
  const named = (error: unknown): boolean =>
    error instanceof DamagedData && /family fam .*fam\/one/.test(error.message);
  await assert.rejects(
    store.read(async (read) => read.get("fam\0one\0")),
    named,
  );
  await assert.rejects(
    store.read(async (read) => read.take({ from: "fam", to: "fan" }, 9)),
    named,
  );
  await assert.rejects(
    store.write(async (write) => write.get("fam\0one\0")),
    named,
  );
  assert.equal(String(await store.read(async (read) => read.get("fam\0two\0"))), "the bytes of two");
  await store.write(async (write) => write.put("fam\0one\0", Buffer.from("new")));
  assert.equal(String(await store.read(async (read) => read.get("fam\0one\0"))), "new");
  await store.close();
});

/** In the database file, wherever it is. */
function damage(directory: string, from: string, to: string): void {
  const path = join(directory, "records.mdb");
  const bytes = readFileSync(path);
  let times = 0;
  for (
    let at = bytes.indexOf(from, 0, "latin1");
    at >= 0;
    at = bytes.indexOf(from, at + 1, "latin1"), times++
  )
    bytes.set(Buffer.from(to, "latin1"), at);
  assert.ok(times > 0);
  writeFileSync(path, bytes);
}
