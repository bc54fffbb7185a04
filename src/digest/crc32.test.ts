import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 as ofZlib } from "node:zlib";
import fc from "fast-check";
import { seedOfThisRun } from "../../test/support/seed.ts";
import { seededRandom } from "../base/random.ts";
import { CommonSlabs } from "../memory/common-memory.ts";
import { crc32, JoinedCrc32 } from "./crc32.ts";
import { crc64Base64 } from "./crc64.ts";

const pool = seededRandom(11).bytes(600_000);

test("chunks of any length, also longer than the WebAssembly window, give what zlib gives", (t) => {
  const length = fc.oneof(
    fc.nat({ max: 40_000 }),
    fc.integer({ min: 8_100, max: 20_000 }),
    fc.nat({ max: 500_000 }),
  );
  fc.assert(
    fc.property(length, fc.nat({ max: 90_000 }), fc.nat({ max: 0xffff_ffff }), (bytes, from, seed) => {
      const chunk = pool.subarray(from, from + bytes);
      assert.equal(crc32(chunk, seed), ofZlib(chunk, seed));
    }),
    { numRuns: 300, seed: seedOfThisRun(t) },
  );
});

test("bytes of the common memory are read in place and stay unchanged", (t) => {
  const common = new CommonSlabs(600_000, 600_000).acquire()!;
  common.fill(pool);
  fc.assert(
    fc.property(fc.integer({ min: 8_100, max: 500_000 }), fc.nat({ max: 90_000 }), (bytes, from) => {
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

test("a checksum updated part by part equals that of the whole", () => {
  const parts = [100_000, 5, 40_000, 32_768, 0, 200_000];
  let [crc, at] = [0, 0];
  for (const bytes of parts) {
    crc = crc32(pool.subarray(at, at + bytes), crc);
    at += bytes;
  }
  assert.equal(crc, ofZlib(pool.subarray(0, at)));
});

test("chunks just long enough to be folded give what zlib gives, at every length", () => {
  for (let bytes = 8_100; bytes < 9_000; bytes++) {
    const chunk = pool.subarray(bytes, 2 * bytes);
    assert.equal(crc32(chunk), ofZlib(chunk), `${bytes} bytes`);
  }
});

test("joined checksums equal those of the concatenated bytes", (t) => {
  for (const secondBytes of [0, 1, 16, 4_096, 65_536]) {
    const joined = new JoinedCrc32(secondBytes);
    fc.assert(
      fc.property(fc.nat({ max: 200 }), fc.nat({ max: 90_000 }), (firstBytes, from) => {
        const [first, second] = [pool.subarray(0, firstBytes), pool.subarray(from, from + secondBytes)];
        assert.equal(joined.join(crc32(first), crc32(second)), ofZlib(second, ofZlib(first)));
      }),
      { numRuns: 50, seed: seedOfThisRun(t) },
    );
  }
});
