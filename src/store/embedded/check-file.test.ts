import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { UnusableDirectory } from "../../base/faults.ts";
import { checkDatabaseFile } from "./check-file.ts";
import { EmbeddedStore } from "./embedded-store.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-check-"));
const good = join(directory, "records.mdb");
const bad = join(directory, "bad.mdb");

before(async () => {
  const onFatal = (error: unknown): void => assert.fail(String(error));
  const store = new EmbeddedStore({ directory, owner: "test", onFatal });
  for (let i = 0; i < 50; i++) {
    await store.write(async (write) => {
      for (let j = 0; j < 40; j++) write.put(`key-${i}-${j}`, Buffer.alloc(1_000, i));
    });
  }
  await store.close();
});
after(() => rmSync(directory, { recursive: true, force: true }));

function refused(change: () => void): void {
  copyFileSync(good, bad);
  change();
  const before = readFileSync(bad);
  assert.throws(
    () => checkDatabaseFile(bad),
    (error) => error instanceof UnusableDirectory && error.message.includes(bad),
  );
  assert(readFileSync(bad).equals(before), "a refused file is not changed");
}

test("a file that LMDB wrote is taken, and so is none", () => {
  checkDatabaseFile(good);
  checkDatabaseFile(join(directory, "absent.mdb"));
});

test("a file cut short is refused", () => {
  const { size } = statSync(good);
  assert(size > 2 * 1_048_576);
  for (const left of [1, 100, 4_096, 8_192, 65_536, size / 4, size / 2])
    refused(() => truncateSync(bad, left));
});

test("a file that is no database is refused", () => {
  refused(() => writeFileSync(bad, Buffer.alloc(100_000, "text")));
  refused(() => writeFileSync(bad, Buffer.alloc(100_000)));
});

test("one damaged meta page is survived, as after a crash; two are not", () => {
  const bytes = readFileSync(good);
  bytes.fill(0xff, 24, 160);
  writeFileSync(bad, bytes);
  checkDatabaseFile(bad);
  refused(() => writeFileSync(bad, Buffer.from(bytes.fill(0xff, 4_096 + 24, 4_096 + 160))));
});

test("a file of another format is refused by its number", () => {
  const bytes = readFileSync(good);
  bytes.writeUInt32LE(3, 28);
  writeFileSync(bad, bytes);
  assert.throws(() => checkDatabaseFile(bad), /LMDB format 3/);
});
