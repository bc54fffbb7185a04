import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../../test/support/seed.ts";
import { DamagedData } from "../../base/faults.ts";
import type { BlobRecord } from "./blob.ts";
import { blobRecord } from "./blob-bytes.ts";
import { recordType } from "./record.ts";

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const text = fc.string({ unit: "grapheme", maxLength: 40 });
const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });

const slices = fc.array(
  fc.record({ extent: uint64, offset: fc.nat(), length: fc.nat() }, { noNullPrototype: true }),
);
const content = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ inline: Buffer.from(bytes) })),
  uint64.map((blocks) => ({ blocks })),
  fc.record({ pages: uint64, epoch: uint64 }, { noNullPrototype: true }),
  slices.map((named) => ({ slices: named })),
);

const record = fc.record(
  {
    id: uint64,
    kind: fc.constantFrom("block", "append", "page"),
    revision: uint64,
    created: uint64,
    length: fc.maxSafeNat(),
    content,
    http: fc.record(
      {
        contentType: text,
        contentMd5: text,
        contentEncoding: text,
        contentLanguage: text,
        contentDisposition: text,
        cacheControl: text,
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    version: uint64,
    metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text, { noNullPrototype: true }),
    tier: fc.constantFrom("Hot", "Archive"),
    isSealed: fc.constant(true as const),
    sequenceNumber: uint64,
    deleted: fc.record({ at: fc.maxSafeNat(), until: fc.maxSafeNat() }, { noNullPrototype: true }),
  },
  { requiredKeys: ["id", "kind", "revision", "created", "length", "content", "http"], noNullPrototype: true },
) as fc.Arbitrary<BlobRecord>;

test("the record of a blob comes back as it was packed", (t) => {
  fc.assert(
    fc.property(record, optional(uint64), (one, staging) => {
      const expected = staging === undefined ? one : { ...one, staging };
      const packed = Buffer.from(blobRecord.pack({ ...one, staging } as BlobRecord));
      assert.deepEqual(blobRecord.unpack(packed), expected);
    }),
    { numRuns: 500, seed: seedOfThisRun(t) },
  );
});

test("what the first version wrote is still read", (t) => {
  const asMap = recordType<BlobRecord>("blob", 1);
  fc.assert(
    fc.property(record, (one) => assert.deepEqual(blobRecord.unpack(asMap.pack(one)), one)),
    { numRuns: 100, seed: seedOfThisRun(t) },
  );
});

test("what is cut short or of a later version is damaged, not guessed at", () => {
  const one: BlobRecord = {
    id: 1n,
    kind: "block",
    revision: 2n,
    created: 3n,
    length: 0,
    content: { blocks: 4n },
    http: { contentType: "text/plain" },
  };
  const packed = Buffer.from(blobRecord.pack(one));
  for (const length of [0, 1, 39, packed.length - 1]) {
    assert.throws(() => blobRecord.unpack(packed.subarray(0, length)), DamagedData);
  }
  packed[0] = 3;
  assert.throws(() => blobRecord.unpack(packed), DamagedData);
});
