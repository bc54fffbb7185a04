import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../test/support/seed.ts";
import { md5Batched, md5OfArrived } from "./md5-batch.ts";
import { LANE_BYTES_MAX, LANES, Md5Lanes } from "./md5-lanes.ts";

const piece = (bytes: number, salt = 0): Buffer =>
  Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 31 + salt * 7 + (i >> 8)) & 0xff));

test("digests of pieces side by side are those of each alone, at every length about a block's end", () => {
  const lanes = new Md5Lanes();
  for (const bytes of [...Array(200).keys(), 4_095, 4_096, 4_097, LANE_BYTES_MAX - 1, LANE_BYTES_MAX]) {
    const pieces = Array.from({ length: LANES }, (_, lane) => piece(bytes, lane));
    assert.deepEqual(
      lanes.digests(pieces),
      pieces.map((one) => hash("md5", one, "base64")),
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
        await Promise.all(pieces.map(md5Batched)),
        pieces.map((one) => hash("md5", one, "base64")),
      );
    }),
    { numRuns: 200, seed: seedOfThisRun(t) },
  );
});

const digestOf = (one: Buffer): string => hash("md5", one, "base64");

test("a body that comes with few others is digested at once", () => {
  const body = piece(1_024);
  assert.equal(md5OfArrived(body, LANES - 1), digestOf(body));
});

test("of bodies that come one after another, eight go together and the rest when the turn ends", async () => {
  const bodies = Array.from({ length: LANES + 2 }, (_, i) => piece(1_024, i));
  const told: number[] = [];
  const digests = bodies.map(async (body, i) => {
    const digest = await md5OfArrived(body, LANES);
    told.push(i);
    return digest;
  });
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await Promise.resolve();
  assert.deepEqual(told, [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await Promise.all(digests), bodies.map(digestOf));
  const late = piece(64);
  assert.equal(await md5OfArrived(late, LANES), digestOf(late), "and one of a later turn");
});

test("bodies of any lengths that arrive together get the digests of their own", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: LANE_BYTES_MAX }), { maxLength: 20 }), async (lengths) => {
      const bodies = lengths.map((bytes, i) => piece(bytes, i));
      const digests = bodies.map((body) => md5OfArrived(body, LANES));
      assert.deepEqual(await Promise.all(digests), bodies.map(digestOf));
    }),
    { numRuns: 50, seed: seedOfThisRun(t) },
  );
});
