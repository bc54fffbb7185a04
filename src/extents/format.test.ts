import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "../digest/crc32.ts";
import {
  checkFileHeader,
  extentOfFileName,
  extentShape,
  FRAME_HEADER_BYTES,
  fileNameOf,
  frameParts,
  packFileHeader,
  storedBytes,
} from "./format.ts";

const shape = extentShape({ chunkBytes: 16, writeBufferBytes: 64, extentBytesMax: 512 });

test("a file name carries the extent id and nothing else passes for one", () => {
  assert.equal(fileNameOf(255n), "00000000000000ff.extent");
  assert.equal(extentOfFileName("00000000000000ff.extent"), 255n);
  for (const name of ["ff.extent", "00000000000000FF.extent", "00000000000000ff.extent.tmp", "LOCK"]) {
    assert.equal(extentOfFileName(name), undefined);
  }
});

test("a file header is refused after any change of a single bit", () => {
  const header = packFileHeader(7n, shape);
  assert.equal(checkFileHeader(header, 7n, shape), "ok");
  assert.equal(checkFileHeader(header, 8n, shape), "damaged", "the file of another extent");
  assert.equal(checkFileHeader(header, 7n, { ...shape, chunkBytes: 32 }), "damaged", "other chunks");
  assert.equal(checkFileHeader(header.subarray(0, 31), 7n, shape), "damaged", "a torn header");
  for (let bit = 0; bit < header.length * 8; bit++) {
    const changed = Buffer.from(header);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(checkFileHeader(changed, 7n, shape), "damaged");
  }
});

test("a newer format is distinguished from damage", async () => {
  const { crc32 } = await import("node:zlib");
  const header = packFileHeader(7n, shape);
  header.writeUInt32LE(2, 8);
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  assert.equal(checkFileHeader(header, 7n, shape), "newer");
});

test("frames do not depend on the parts the data came in", () => {
  const data = Buffer.from(Array.from({ length: 50 }, (_, i) => i));
  const at = { extent: 3n, offset: 32, length: 50 };
  const whole = Buffer.concat(frameParts([data], at, shape));
  assert.equal(whole.length, storedBytes(50, shape));
  assert.equal(whole.length, 50 + 4 * FRAME_HEADER_BYTES);
  const cut = [data.subarray(0, 1), data.subarray(1, 16), data.subarray(16, 49), data.subarray(49)];
  assert.deepEqual(Buffer.concat(frameParts(cut, at, shape)), whole);
  // Nor on who computed the checksums of the chunks, and how many of them.
  const crcs = Array.from({ length: Math.floor(data.length / shape.chunkBytes) }, (_, chunk) =>
    crc32(data.subarray(chunk * shape.chunkBytes, (chunk + 1) * shape.chunkBytes)),
  );
  assert.ok(crcs.length > 1);
  for (const computed of [crcs, crcs.slice(0, 1)])
    assert.deepEqual(Buffer.concat(frameParts(cut, at, shape, computed)), whole);
});
