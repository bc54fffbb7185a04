import assert from "node:assert/strict";
import { test } from "node:test";

import {
  allocatePage,
  binaryOfSafeInteger,
  binaryOfUint64,
  copyBriefly,
  copyPage,
  readUint64,
  uint64OfBinary,
  writeUint64,
} from "./bytes.ts";

test("whole numbers of 64 bits become eight bytes, as Buffer writes them, and come back", () => {
  const values = [0n, 1n, 255n, 256n, 0x1_0000_0000n, 0x0102_0304_0506_0708n, 2n ** 63n, 2n ** 64n - 1n];
  for (const value of values) {
    const expected = Buffer.alloc(8);
    expected.writeBigUInt64BE(value);
    assert.equal(binaryOfUint64(value), expected.latin1Slice());
    assert.equal(uint64OfBinary(`xy${binaryOfUint64(value)}z`, 2), value);
    const written = Buffer.alloc(11, 0xee);
    writeUint64(written, value, 2);
    assert.deepEqual(written, Buffer.concat([Buffer.of(0xee, 0xee), expected, Buffer.of(0xee)]));
    assert.equal(readUint64(written, 2), value);
    assert.throws(() => readUint64(written, 4), RangeError, "bytes that are missing are not zeros");
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      assert.equal(binaryOfSafeInteger(Number(value)), expected.latin1Slice());
    }
  }
});

test("pages share an allocation and never overlap", () => {
  const lengths = [0, 1, 4_095, 4_096, 4_105, 8_201, 16_384, 16_385, 200_000];
  const allocated: { readonly bytes: Buffer; readonly mark: number }[] = [];
  for (let round = 0; round < 8; round++) {
    for (const length of lengths) {
      const bytes = allocatePage(length);
      const mark = allocated.length % 256;
      assert.equal(bytes.length, length);
      allocated.push({ bytes: bytes.fill(mark), mark });
    }
  }
  for (const { bytes, mark } of allocated) assert.ok(bytes.every((byte) => byte === mark));
  const pages = Array.from({ length: 4 }, () => allocatePage(4_105).buffer);
  assert.ok(new Set(pages).size < pages.length, "successive pages share allocations");
});

test("a copy of a page is not the page", () => {
  const page = Buffer.alloc(4_096, 1);
  const copy = copyPage(page);
  page.fill(2);
  assert.ok(copy.every((byte) => byte === 1));
});

test("brief copies equal their originals, share an allocation and never overlap", () => {
  const lengths = [0, 1, 1_024, 8_192, 16_384, 16_385, 70_000];
  const allocated: { readonly copy: Buffer; readonly mark: number }[] = [];
  for (let round = 0; round < 12; round++) {
    for (const length of lengths) {
      const mark = allocated.length % 256;
      const original = Buffer.alloc(length, mark);
      const copy = copyBriefly(original);
      original.fill(0xee);
      allocated.push({ copy, mark });
      assert.equal(copy.length, length);
      assert.equal(copy.byteOffset % 8, 0, "numbers of 64 bits can be read in place");
    }
  }
  for (const { copy, mark } of allocated) assert.ok(copy.every((byte) => byte === mark));
});
