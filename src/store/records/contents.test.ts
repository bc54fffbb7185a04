import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import { DamagedData } from "../../base/faults.ts";
import { type PageRangeEntry, segmentRecord } from "./blob-pages.ts";
import { easRecord } from "./extended-attributes.ts";
import {
  type EntryRecord,
  entryRecord,
  type InodeRecord,
  inodeRecord,
  type RangeRecord,
  rangeRecord,
  SINCE_BYTES,
} from "./file-contents.ts";
import { recordType } from "./record.ts";

/** Records at fixed offsets: packed ones come back, old versions are read, damage is reported. */
const SINCE = 638_712_345_678_901_234n;
const revision = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const kind = fc.constantFrom("file", "directory");
const name = fc.string({ unit: "grapheme", maxLength: 255 }).filter((text) => text.isWellFormed());
const optional = { noNullPrototype: true } as const;

const inode = fc.record(
  {
    kind,
    parent: revision,
    name,
    revision,
    attributes: fc.nat(0x7fff_ffff),
    createdAt: revision,
    writtenAt: revision,
    changedAt: revision,
    accessedAt: revision,
    permission: fc.constantFrom("1*2", "18446744073709551615*18446744073709551615"),
    hasStreams: fc.constant(true),
    metadata: fc.constant({ a: "1", B: "" }),
    eaSize: fc.nat(0xffff_ffff),
    needsEas: fc.constant(true),
    size: fc.nat({ max: 2 ** 42 }),
    content: revision,
    dataRevision: revision,
    headers: fc.constant({ contentType: "text/plain" }),
    lease: fc.constant({ state: "broken", id: "x" }),
    copy: fc.constant({ id: "c", source: "s", status: "success", bytes: 1, total: 1 }),
  },
  {
    ...optional,
    requiredKeys: [
      "kind",
      "parent",
      "name",
      "revision",
      "attributes",
      "createdAt",
      "writtenAt",
      "changedAt",
      "size",
      "content",
      "dataRevision",
    ],
  },
) as fc.Arbitrary<InodeRecord>;
const entry = fc.record({ name, inode: revision, kind }, optional) as fc.Arbitrary<EntryRecord>;
const bytes = fc.uint8Array({ maxLength: 9_000 }).map((data) => Buffer.from(data));
const slice = fc.record({ extent: revision, offset: fc.nat(2 ** 40), length: fc.nat(2 ** 31 - 1) }, optional);
const range = fc.oneof(
  fc.record({ inline: bytes }, optional),
  fc.record({ slices: fc.array(slice), skip: fc.nat(), length: fc.nat() }, optional),
) as fc.Arbitrary<RangeRecord>;
const page = fc.record(
  {
    start: fc.nat({ max: 2 ** 43 }),
    length: fc.nat(524_288),
    epoch: revision,
    slice,
    from: fc.nat(524_288),
  },
  optional,
) as fc.Arbitrary<PageRangeEntry>;

interface Versioned {
  pack(value: never, since: bigint): Buffer;
  unpack(bytes: Buffer): unknown;
}

/** Version 1 of directory entries called the inode `node`. */
const firstForm = (family: string, value: object): object => {
  if (family !== "fileEntry") return value;
  const { inode, ...rest } = value as EntryRecord;
  return { ...rest, node: inode };
};

const FAMILIES: readonly (readonly [string, Versioned, fc.Arbitrary<unknown>])[] = [
  ["fileNode", inodeRecord, inode],
  ["fileEntry", entryRecord, entry],
  ["fileRange", rangeRecord, range],
];

for (const [family, codec, any] of FAMILIES) {
  test(`${family}: any record comes back behind its since, and so does one of version 1`, (t) => {
    const first = recordType<object>(family, 1);
    fc.assert(
      fc.property(any, (value) => {
        const packed = codec.pack(value as never, SINCE);
        assert.equal(packed.readBigUInt64BE(), SINCE);
        assert.deepEqual(codec.unpack(packed.subarray(SINCE_BYTES)), value);
        assert.deepEqual(codec.unpack(first.pack(firstForm(family, value as object))), value);
      }),
      { seed: seedOfThisRun(t) },
    );
  });

  test(`${family}: a newer version, and nothing at all, are refused`, () => {
    assert.throws(() => codec.unpack(Buffer.of(3, 0, 0)), DamagedData);
    assert.throws(() => codec.unpack(Buffer.alloc(0)), DamagedData);
  });
}

/** Nothing follows its texts, so what cuts it short cuts a text. */
const SHORT_INODE: InodeRecord = {
  kind: "file",
  parent: 1n,
  name: "name",
  revision: 2n,
  attributes: 0,
  createdAt: 3n,
  writtenAt: 4n,
  changedAt: 5n,
  size: 0,
  content: 0n,
  dataRevision: 6n,
};

const examples: [InodeRecord][] = [
  [SHORT_INODE],
  [{ ...SHORT_INODE, permission: "1*2" }],
  [{ ...SHORT_INODE, eaSize: 20, needsEas: true }],
];

test("an inode or an entry that ends too early, or has trailing bytes, is damaged", (t) => {
  fc.assert(
    fc.property(inode, (value) => {
      const packed = inodeRecord.pack(value, SINCE).subarray(SINCE_BYTES);
      for (const end of [1, 40, 80, packed.length - 1]) {
        if (end === packed.length - 1 && value.name === "" && packed.length === 81) continue;
        assert.throws(() => inodeRecord.unpack(packed.subarray(0, end)), DamagedData, `${end}`);
      }
      assert.throws(() => inodeRecord.unpack(Buffer.concat([packed, Buffer.of(0)])), DamagedData);
    }),
    { numRuns: 50, seed: seedOfThisRun(t), examples },
  );
  assert.throws(() => entryRecord.unpack(Buffer.of(2, 0, 0, 0)), DamagedData);
  assert.throws(() => entryRecord.unpack(Buffer.of(2, 7, 0, 0, 0, 0, 0, 0, 0, 1)), DamagedData);
});

const ea = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 255, unit: "grapheme-ascii" }),
    value: fc.uint8Array({ minLength: 1, maxLength: 400 }).map((data) => Buffer.from(data)),
    isNeeded: fc.boolean(),
  },
  optional,
);

test("extended attributes come back behind their since; cut short or of a newer version, they are damaged", (t) => {
  fc.assert(
    fc.property(fc.array(ea, { minLength: 1, maxLength: 6 }), (eas) => {
      const packed = easRecord.pack(eas, SINCE);
      assert.equal(packed.readBigUInt64BE(), SINCE);
      const body = packed.subarray(SINCE_BYTES);
      assert.deepEqual(easRecord.unpack(body), eas);
      for (const end of [0, 2, 3, body.length - 1])
        assert.throws(() => easRecord.unpack(body.subarray(0, end)), DamagedData, `${end}`);
    }),
    { seed: seedOfThisRun(t) },
  );
  assert.deepEqual(easRecord.unpack(Buffer.of(1)), []);
  assert.throws(() => easRecord.unpack(Buffer.of(2, 0, 1, 0, 1, 97, 1)), DamagedData);
  const longest = { name: "n".repeat(255), value: Buffer.alloc(65_535, 7), isNeeded: false };
  assert.deepEqual(easRecord.unpack(easRecord.pack([longest], SINCE).subarray(SINCE_BYTES)), [longest]);
});

test("hasEas needs no unpacking, and is false for version 1", () => {
  const bodyOf = (record: InodeRecord) => inodeRecord.pack(record, SINCE).subarray(SINCE_BYTES);
  assert.equal(inodeRecord.hasEas(bodyOf(SHORT_INODE)), false);
  assert.equal(inodeRecord.hasEas(bodyOf({ ...SHORT_INODE, eaSize: 20 })), true);
  assert.equal(inodeRecord.hasEas(recordType<InodeRecord>("fileNode", 1).pack(SHORT_INODE)), false);
});

test("a segment of pages comes back, also from version 1, and is searched and changed where it lies", (t) => {
  const first = recordType<{ r: unknown }>("blobPages", 1);
  fc.assert(
    fc.property(fc.array(page, { maxLength: 40 }), page, (ranges, fresh) => {
      assert.deepEqual(segmentRecord.unpack(segmentRecord.pack(ranges)), ranges);
      const old = first.pack({
        r: ranges.map((one) => [
          one.start,
          one.length,
          one.epoch,
          one.slice.extent,
          one.slice.offset,
          one.slice.length,
          one.from,
        ]),
      });
      assert.deepEqual(segmentRecord.unpack(old), ranges);
      assert.deepEqual(segmentRecord.renew(old), segmentRecord.pack(ranges));
      const apart = ranges.map((one, i) => ({ ...one, start: i * 1_024, length: 512 }));
      const packed = segmentRecord.pack(apart);
      for (const offset of [0, 511, 512, 1_023, 1_024, 20_000, 50_000]) {
        const expected = apart.findIndex((one) => one.start + one.length > offset);
        assert.equal(segmentRecord.firstAfter(packed, offset), expected < 0 ? apart.length : expected);
      }
      const from = Math.floor(apart.length / 3);
      const to = Math.floor(apart.length / 2);
      const changed = [...apart.slice(0, from), fresh, ...apart.slice(to)];
      assert.deepEqual(segmentRecord.unpack(segmentRecord.replaced(packed, from, to, fresh)), changed);
    }),
    { seed: seedOfThisRun(t) },
  );
  assert.throws(() => segmentRecord.unpack(Buffer.of(2, 0)), DamagedData);
  assert.throws(() => segmentRecord.unpack(Buffer.of(3)), DamagedData);
});
