import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { CommonParts, isCommon, reserveCommon } from "./common-memory.ts";
import { KIB, LIMITS } from "./limits.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("parts do not overlap, and each has a buffer of its own", () => {
  const parts = new CommonParts(128 * KIB, 1_024 * KIB);
  const taken = Array.from({ length: 8 }, (_, index) => parts.take()!.fill(index + 1));
  assert.equal(parts.take(), undefined);
  for (const [index, part] of taken.entries()) assert.ok(part.every((byte) => byte === index + 1));
  assert.equal(new Set(taken.map(({ buffer }) => buffer)).size, 8);
  assert.ok(taken.every((part) => isCommon(part.subarray(7))));
  assert.equal(isCommon(Buffer.alloc(7)), false);
});

test("a part that nobody has bytes of any more can be taken again, and not before", async () => {
  const parts = new CommonParts(64 * KIB, 64 * KIB);
  let bytes: Buffer | undefined = parts.take()!.subarray(100, 200).fill(9);
  for (let tries = 0; tries < 3; tries++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(parts.take(), undefined);
  }
  assert.ok(bytes.every((byte) => byte === 9));
  bytes = undefined;
  let again: Buffer | undefined;
  for (let tries = 0; tries < 100 && again === undefined; tries++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
    again = parts.take();
  }
  assert.equal(again?.length, 64 * KIB);
});

test("what does not fit is not there", () => {
  assert.equal(reserveCommon(LIMITS.commonMemoryBytes + 1), undefined);
  assert.equal(new CommonParts(LIMITS.commonMemoryBytes + 1, 4 * LIMITS.commonMemoryBytes).take(), undefined);
});
