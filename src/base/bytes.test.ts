import assert from "node:assert/strict";
import { test } from "node:test";
import { binaryOfSafeInteger, binaryOfUint64, readUint64, uint64OfBinary, writeUint64 } from "./bytes.ts";

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
