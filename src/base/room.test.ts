import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { LIMITS, MIB } from "./limits.ts";
import { Room } from "./room.ts";

test("a disk with plenty of room is asked again after a while, one without at every write", (context) => {
  let [left, asked, now] = [LIMITS.plentyOfRoomBytes + MIB, 0, 1_000];
  context.mock.method(performance, "now", () => now);
  context.mock.method(fs, "statfsSync", () => {
    asked++;
    return { bavail: left / 1_024, bsize: 1_024 };
  });
  syncBuiltinESMExports();
  try {
    const room = new Room(tmpdir());
    for (let i = 0; i < 3; i++) assert.equal(room.left(), Number.POSITIVE_INFINITY);
    assert.equal(asked, 1);

    left = LIMITS.plentyOfRoomBytes;
    now += LIMITS.plentyOfRoomMillis - 1;
    assert.equal(room.left(), Number.POSITIVE_INFINITY);
    now += 1;
    assert.equal(room.left(), LIMITS.plentyOfRoomBytes);
    left = 5 * MIB;
    assert.equal(room.left(), 5 * MIB);
    assert.equal(asked, 3);
  } finally {
    context.mock.restoreAll();
    syncBuiltinESMExports();
  }
});
