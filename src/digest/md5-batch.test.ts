import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { seedOfThisRun } from "../../test/support/seed.ts";
import { md5Batched, md5OfArrived } from "./md5-batch.ts";
import { LANE_BYTES_MAX, LANES, Md5Lanes } from "./md5-lanes.ts";

const patterned = (bytes: number, salt = 0): Buffer =>
  Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 31 + salt * 7 + (i >> 8)) & 0xff));

test("parallel digests equal single ones, at every length around the end of a block", () => {
  const lanes = new Md5Lanes();
  for (const bytes of [...Array(200).keys(), 4_095, 4_096, 4_097, LANE_BYTES_MAX - 1, LANE_BYTES_MAX]) {
    const buffers = Array.from({ length: LANES }, (_, lane) => patterned(bytes, lane));
    assert.deepEqual(
      lanes.digests(buffers),
      buffers.map((one) => hash("md5", one, "base64")),
      `${bytes} bytes`,
    );
  }
});

test("concurrent requests each get the digest of their own buffer", async (t) => {
  const length = fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(4_096, LANE_BYTES_MAX, LANE_BYTES_MAX + 1));
  await fc.assert(
    fc.asyncProperty(fc.array(length, { maxLength: 30 }), async (lengths) => {
      const buffers = lengths.map((bytes, i) => patterned(bytes, i));
      assert.deepEqual(
        await Promise.all(buffers.map(md5Batched)),
        buffers.map((one) => hash("md5", one, "base64")),
      );
    }),
    { numRuns: 200, seed: seedOfThisRun(t) },
  );
});

const digestOf = (one: Buffer): string => hash("md5", one, "base64");

test("a body that arrives with few others is digested at once", () => {
  const body = patterned(1_024);
  assert.equal(md5OfArrived(body, LANES - 1), digestOf(body));
});

test("eight successive bodies are digested together, and the rest when the tick ends", async () => {
  const bodies = Array.from({ length: LANES + 2 }, (_, i) => patterned(1_024, i));
  const resolved: number[] = [];
  const digests = bodies.map(async (body, i) => {
    const digest = await md5OfArrived(body, LANES);
    resolved.push(i);
    return digest;
  });
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await Promise.resolve();
  assert.deepEqual(resolved, [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await Promise.all(digests), bodies.map(digestOf));
  const late = patterned(64);
  assert.equal(await md5OfArrived(late, LANES), digestOf(late), "a body of a later tick");
});

test("bodies of any lengths that arrive together each get their own digest", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: LANE_BYTES_MAX }), { maxLength: 20 }), async (lengths) => {
      const bodies = lengths.map((bytes, i) => patterned(bytes, i));
      const digests = bodies.map((body) => md5OfArrived(body, LANES));
      assert.deepEqual(await Promise.all(digests), bodies.map(digestOf));
    }),
    { numRuns: 50, seed: seedOfThisRun(t) },
  );
});
