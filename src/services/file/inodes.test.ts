import assert from "node:assert/strict";
import { test } from "node:test";
import { findAny } from "./inodes.ts";
import type { View } from "./versions.ts";

test("on an asynchronous engine, each name is read once, and its error reaches the caller", async () => {
  const reads: string[] = [];
  const view = {
    get: async (key: string): Promise<undefined> => {
      reads.push(key);
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("a record has changed since it was last seen");
    },
  } as unknown as View;
  await assert.rejects(async () => findAny(view, 1n, ["folder", "file"]), /has changed/);
  // An unhandled rejection of a second read would fail this test.
  for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(reads.length, 1);
});
