import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DamagedData } from "../../base/faults.ts";
import { type HandleRecord, handleRecord } from "./file-handles.ts";

const handles: fc.Arbitrary<HandleRecord> = fc
  .record({
    kind: fc.constantFrom("file" as const, "directory" as const),
    access: fc.integer({ min: 0, max: 7 }),
    share: fc.integer({ min: 0, max: 7 }),
    openedAt: fc.integer({ min: 0, max: 2 ** 43 }),
    session: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    clientAddress: fc.string({ maxLength: 60 }),
    clientName: fc.string({ unit: "grapheme", maxLength: 60 }),
    isDeleteOnClose: fc.boolean(),
    owner: fc.string({ maxLength: 60 }),
    cached: fc.boolean(),
    reconnectedAt: fc.option(fc.integer({ min: 0, max: 2 ** 43 })),
    other: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
    isStream: fc.boolean(),
  })
  .map(({ cached, reconnectedAt, other, isStream, ...rest }) => ({
    ...rest,
    ...(other === null ? {} : isStream ? { base: other } : { stream: other }),
    ...(cached ? { mayCache: true } : {}),
    ...(reconnectedAt === null ? {} : { reconnectedAt }),
  }));

test("a handle is read as it was written", () => {
  fc.assert(
    fc.property(handles, (handle) => {
      assert.deepEqual(handleRecord.unpack(handleRecord.pack(handle)), handle);
    }),
  );
});

test("a truncated handle, or one of an unknown version, is damaged", () => {
  fc.assert(
    fc.property(handles, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (handle, part) => {
      const packed = handleRecord.pack(handle);
      const cut = packed.subarray(0, Math.floor(packed.length * part));
      assert.throws(() => handleRecord.unpack(cut), DamagedData);
      packed[0] = 3;
      assert.throws(() => handleRecord.unpack(packed), DamagedData);
    }),
  );
});
