import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../test/support/seed.ts";
import { LANE_BYTES_MAX, LANES, Md5Lanes } from "./md5-lanes.ts";
import { md5Soon } from "./md5-soon.ts";

const piece = (bytes: number, salt = 0): Buffer =>
  Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 31 + salt * 7 + (i >> 8)) & 0xff));

test("digests of pieces side by side are those of each alone, at every length about a block's end", () => {
  const lanes = new Md5Lanes();
  for (const bytes of [...Array(200).keys(), 4_095, 4_096, 4_097, LANE_BYTES_MAX - 1, LANE_BYTES_MAX]) {
    const pieces = Array.from({ length: LANES }, (_, lane) => piece(bytes, lane));
    assert.deepEqual(
      lanes.digests(pieces).map((digest) => digest.toString("hex")),
      pieces.map((one) => hash("md5", one)),
      `${bytes} bytes`,
    );
  }
});

test("whatever is asked for at once, each gets the digest of its own piece", async (t) => {
  const length = fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(4_096, LANE_BYTES_MAX, LANE_BYTES_MAX + 1));
  await fc.assert(
    fc.asyncProperty(fc.array(length, { maxLength: 30 }), async (lengths) => {
      const pieces = lengths.map((bytes, i) => piece(bytes, i));
      assert.deepEqual(
        await Promise.all(pieces.map(md5Soon)),
        pieces.map((one) => hash("md5", one, "base64")),
      );
    }),
    { numRuns: 200, seed: seedOfThisRun(t) },
  );
});
