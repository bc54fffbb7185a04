import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 as ofZlib } from "node:zlib";
import fc from "fast-check";
import { seedOfThisRun } from "../../test/support/seed.ts";
import { CommonParts } from "./common-memory.ts";
import { crc32 } from "./crc32.ts";
import { crc64Base64 } from "./crc64.ts";
import { seededRandom } from "./random.ts";

const pool = seededRandom(11).bytes(600_000);

test("pieces of any length, also those longer than the engine's window, give what zlib gives", (t) => {
  const length = fc.oneof(
    fc.nat({ max: 40_000 }),
    fc.integer({ min: 32_700, max: 45_000 }),
    fc.nat({ max: 500_000 }),
  );
  fc.assert(
    fc.property(length, fc.nat({ max: 90_000 }), fc.nat({ max: 0xffff_ffff }), (bytes, from, seed) => {
      const piece = pool.subarray(from, from + bytes);
      assert.equal(crc32(piece, seed), ofZlib(piece, seed));
    }),
    { numRuns: 300, seed: seedOfThisRun(t) },
  );
});

test("bytes of the common memory are looked at where they are, and stay as they are", (t) => {
  const common = new CommonParts(600_000, 600_000).take()!;
  common.fill(pool);
  fc.assert(
    fc.property(fc.integer({ min: 32_700, max: 500_000 }), fc.nat({ max: 90_000 }), (bytes, from) => {
      assert.equal(crc32(common.subarray(from, from + bytes)), ofZlib(pool.subarray(from, from + bytes)));
      assert.equal(
        crc64Base64(common.subarray(from, from + bytes)),
        crc64Base64(pool.subarray(from, from + bytes)),
      );
    }),
    { numRuns: 50, seed: seedOfThisRun(t) },
  );
  assert.ok(common.equals(pool));
});

test("a piece in parts is the piece", () => {
  const parts = [100_000, 5, 40_000, 32_768, 0, 200_000];
  let [crc, at] = [0, 0];
  for (const bytes of parts) {
    crc = crc32(pool.subarray(at, at + bytes), crc);
    at += bytes;
  }
  assert.equal(crc, ofZlib(pool.subarray(0, at)));
});
