import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { FOLDED_BYTES_MIN } from "./crc-wasm.ts";
import { Crc64, crc64Base64 } from "./crc64.ts";

/** The definition, bit by bit. */
function plainCrc64(bytes: Uint8Array): bigint {
  let crc = 0xffff_ffff_ffff_ffffn;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++)
      crc = (crc & 1n) === 0n ? crc >> 1n : (crc >> 1n) ^ 0x9a6c_9329_ac4b_c9b5n;
  }
  return crc ^ 0xffff_ffff_ffff_ffffn;
}

test("the check value of CRC-64/NVME", () => {
  assert.equal(
    new Crc64().update(Buffer.from("123456789")).digest().readBigUInt64LE(),
    0xae8b_1486_0a79_9888n,
  );
  assert.equal(crc64Base64(Buffer.alloc(0)), "AAAAAAAAAAA=");
});

test("any bytes, split in any way, give what the definition gives", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }), (chunks) => {
      const crc = new Crc64();
      for (const chunk of chunks) crc.update(chunk);
      assert.equal(crc.digest().readBigUInt64LE(), plainCrc64(Buffer.concat(chunks)));
    }),
  );
});

test("long chunks, which are folded, give what the definition gives", () => {
  const bytes = Buffer.from(
    Array.from({ length: FOLDED_BYTES_MIN + 5_000 }, (_, i) => (i * i * 31 + i) & 0xff),
  );
  const ends = [-1, 0, 1, 15, 16, 63, 64, 65, 4_497, 4_498, 4_999].map((more) => FOLDED_BYTES_MIN + more);
  for (const length of ends) {
    const crc = new Crc64().update(bytes.subarray(0, 100)).update(bytes.subarray(100, 100 + length));
    assert.equal(
      crc.digest().readBigUInt64LE(),
      plainCrc64(bytes.subarray(0, 100 + length)),
      `${length} bytes`,
    );
  }
});

test("updates of two checksums may alternate", () => {
  const [one, two] = [new Crc64(), new Crc64()];
  for (const text of ["a", "bc", "def"]) {
    one.update(Buffer.from(text));
    two.update(Buffer.from(text.toUpperCase()));
  }
  assert.equal(one.base64(), crc64Base64(Buffer.from("abcdef")));
  assert.equal(two.base64(), crc64Base64(Buffer.from("ABCDEF")));
});

test("a chunk longer than the WebAssembly window", () => {
  const bytes = Buffer.alloc(500_001, "holdfast");
  const crc = new Crc64();
  for (let i = 0; i < bytes.length; i += 999) crc.update(bytes.subarray(i, i + 999));
  assert.equal(crc64Base64(bytes), crc.base64());
});

test("the Azure SDK computes the same", async () => {
  const common = createRequire(createRequire(import.meta.url).resolve("@azure/storage-blob"));
  const { StorageCRC64Calculator } = common("@azure/storage-common");
  await StorageCRC64Calculator.init();
  const theirs = new StorageCRC64Calculator();
  const bytes = Buffer.from("many writers, no surprises");
  assert.deepEqual(Buffer.from(theirs.final(bytes, bytes.length)), new Crc64().update(bytes).digest());
});
