import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { crc32 as ofZlib } from "node:zlib";
import { KIB, LIMITS } from "../base/limits.ts";
import { crc32 } from "../digest/crc32.ts";
import { Crc64 } from "../digest/crc64.ts";
import { LongMd5 } from "../digest/md5-thread.ts";
import { CommonSlabs, commonMemory } from "./common-memory.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("slabs do not overlap, and each has a buffer of its own", () => {
  const parts = new CommonSlabs(128 * KIB, 1_024 * KIB);
  const acquired = Array.from({ length: 8 }, (_, index) => parts.acquire()!.fill(index + 1));
  assert.equal(parts.acquire(), undefined);
  for (const [index, part] of acquired.entries()) assert.ok(part.every((byte) => byte === index + 1));
  assert.equal(new Set(acquired.map(({ buffer }) => buffer)).size, 8);
  assert.ok(acquired.every((part) => commonMemory.includes(part.subarray(7))));
  assert.equal(commonMemory.includes(Buffer.alloc(7)), false);
});

test("a slab without any view can be acquired again, and not before", async () => {
  const parts = new CommonSlabs(64 * KIB, 64 * KIB);
  let bytes: Buffer | undefined = parts.acquire()!.subarray(100, 200).fill(9);
  for (let tries = 0; tries < 3; tries++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(parts.acquire(), undefined);
  }
  assert.ok(bytes.every((byte) => byte === 9));
  bytes = undefined;
  let again: Buffer | undefined;
  for (let tries = 0; tries < 100 && again === undefined; tries++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
    again = parts.acquire();
  }
  assert.equal(again?.length, 64 * KIB);
});

test("however many slabs are in use, checksums and digests find memory afterwards", async () => {
  const sizes = [64, 128, 192, 576, 1_088, 8_256].map((kib) => kib * KIB);
  const acquired = sizes.flatMap((bytes) => {
    const parts = new CommonSlabs(bytes, LIMITS.commonMemoryBytes);
    return Array.from({ length: LIMITS.commonMemoryBytes / (64 * KIB) }, () => parts.acquire());
  });
  assert.equal(new CommonSlabs(64 * KIB, LIMITS.commonMemoryBytes).acquire(), undefined);
  const bytes = Buffer.alloc(100_000, "holdfast");
  assert.equal(crc32(bytes), ofZlib(bytes));
  const inChunks = new Crc64();
  for (let at = 0; at < bytes.length; at += 10_000) inChunks.update(bytes.subarray(at, at + 10_000));
  assert.equal(new Crc64().update(bytes).base64(), inChunks.base64());
  const md5 = new LongMd5();
  await md5.update(bytes);
  assert.equal(await md5.digest(), createHash("md5").update(bytes).digest("base64"));
  const acquiredBytes = acquired.reduce((sum, part) => sum + (part?.length ?? 0), 0);
  assert.ok(acquiredBytes <= LIMITS.commonPartsBytesMax);
});

test("what does not fit is not there", () => {
  assert.equal(commonMemory.reserve(LIMITS.commonMemoryBytes + 1), undefined);
  assert.equal(
    new CommonSlabs(LIMITS.commonMemoryBytes + 1, 4 * LIMITS.commonMemoryBytes).acquire(),
    undefined,
  );
});
