import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { FreeSpace } from "./free-space.ts";
import { LIMITS, MIB } from "./limits.ts";

test("the free space of a disk is cached while there is plenty, and queried at every write otherwise", (context) => {
  let [left, asked, now] = [LIMITS.plentyOfSpaceBytes + MIB, 0, 1_000];
  context.mock.method(performance, "now", () => now);
  context.mock.method(fs, "statfsSync", () => {
    asked++;
    return { bavail: left / 1_024, bsize: 1_024 };
  });
  syncBuiltinESMExports();
  try {
    const freeSpace = new FreeSpace(tmpdir());
    for (let i = 0; i < 3; i++) assert.equal(freeSpace.left(), Number.POSITIVE_INFINITY);
    assert.equal(asked, 1);

    left = LIMITS.plentyOfSpaceBytes;
    now += LIMITS.plentyOfSpaceMillis - 1;
    assert.equal(freeSpace.left(), Number.POSITIVE_INFINITY);
    now += 1;
    assert.equal(freeSpace.left(), LIMITS.plentyOfSpaceBytes);
    left = 5 * MIB;
    assert.equal(freeSpace.left(), 5 * MIB);
    assert.equal(asked, 3);
  } finally {
    context.mock.restoreAll();
    syncBuiltinESMExports();
  }
});
