import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { walksOver } from "../../../test/support/linear.ts";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import * as directory from "./directory.ts";
import { type DirectoryEntry, DirectoryPage, decodeDirectoryEntries } from "./directory-entry.ts";
import {
  fileTimeAt,
  fileTimeOfTicks,
  instantAt,
  parseGmtToken,
  printGmtToken,
  ticksOfFileTime,
} from "./filetime.ts";
import { StatusError } from "./status.ts";
import { matcherOf } from "./wildcard.ts";

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const options = { seed: seedOfThisRun(), numRuns: 20 };

test("directory entries of every class come back from their page", () => {
  const entry = fc.record({
    name: fc.string({ minLength: 1, maxLength: 20, unit: "binary" }),
    fileId: u64,
    creationTime: u64,
    lastAccessTime: u64,
    lastWriteTime: u64,
    changeTime: u64,
    endOfFile: u64,
    allocationSize: u64,
    attributes: fc.nat(0xffff),
    eaSize: fc.nat(0xffff),
  });
  const bare = { creationTime: 0n, lastAccessTime: 0n, lastWriteTime: 0n, changeTime: 0n };
  for (const informationClass of [1, 2, 3, 12, 37, 38, 60, 63]) {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 8 }), (entries) => {
        const page = new DirectoryPage(informationClass, 4_096);
        for (const one of entries) assert.ok(page.add(one));
        const withId = informationClass >= 37;
        const expected: DirectoryEntry[] = entries.map((one) => ({
          ...one,
          fileId: withId ? one.fileId : 0n,
          eaSize: informationClass === 1 || informationClass === 12 ? 0 : one.eaSize,
          ...(informationClass === 12 ? { ...bare, endOfFile: 0n, allocationSize: 0n, attributes: 0 } : {}),
        }));
        assert.deepEqual(decodeDirectoryEntries(informationClass, page.bytes()), expected);
      }),
      { ...options, numRuns: 20 },
    );
  }
  const page = new DirectoryPage(1, 70);
  const sizes = { endOfFile: 0n, allocationSize: 0n, eaSize: 0 };
  assert.equal(page.add({ ...bare, ...sizes, name: "long", fileId: 0n, attributes: 0 }), false);
  assert.ok(page.isEmpty);
  assert.throws(() => new DirectoryPage(99, 10), StatusError);
});

test("records of change notification lie on boundaries of four bytes", () => {
  const records = [
    { action: 1, name: "odd" },
    { action: 5, name: "dir\\four" },
  ];
  const encoded = directory.encodeNotifyRecords(records);
  assert.equal(encoded.readUInt32LE(0) % 4, 0);
  assert.deepEqual(directory.decodeNotifyRecords(encoded), records);
});

test("times go to FILETIME and back, and to the names of snapshots", () => {
  const instant = Date.UTC(2026, 10, 15, 21, 8, 2);
  assert.equal(fileTimeAt(0), 116_444_736_000_000_000n);
  assert.equal(instantAt(fileTimeAt(instant)), instant);
  assert.equal(fileTimeOfTicks(ticksOfFileTime(5n)), 5n);
  assert.equal(printGmtToken(fileTimeAt(instant)), "@GMT-2026.11.15-21.08.02");
  assert.equal(parseGmtToken("@GMT-2026.11.15-21.08.02"), fileTimeAt(instant));
  assert.equal(parseGmtToken("@GMT-2026.13.15-21.08.02"), undefined);
});

test("wildcards match as those of Windows do, and many stars stay cheap", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["*", "anything.txt", true],
    ["*.txt", "note.TXT", true],
    ["*.txt", "note.text", false],
    ["n?te", "note", true],
    ["n?te", "nte", false],
    ["<.txt", "a.b.txt", true],
    ["<.b", "a.b.txt", false],
    ["foo>>>", "foo", true],
    ["foo>>>.txt", "foob.txt", true],
    ['name"', "name", true],
    ['name"', "name.", true],
    ["<", "no-dot", true],
    ["<", "note.txt", false],
    ["<", "a.b.txt", false],
    ['<"', "no-dot", true],
    ['<"', "note.txt", false],
    ["<.<", "note.txt", true],
    ["*a*b*c", "xxaxxbxxc", true],
    ["*a*b*c", "xxaxxbxx", false],
    ["", "x", false],
  ];
  for (const [pattern, name, isMatch] of cases)
    assert.equal(matcherOf(pattern)(name), isMatch, `${pattern} against ${name}`);
  const many = "*a".repeat(100);
  const name = "a".repeat(250);
  assert.ok(walksOver(200 * 250, () => matcherOf(`${many}b`)(name)) < 2_000);
});
