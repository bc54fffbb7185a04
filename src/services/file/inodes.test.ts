import assert from "node:assert/strict";
import { test } from "node:test";
import { findAny } from "./inodes.ts";
import type { View } from "./versions.ts";

test("on an engine that answers later, each name is asked for once, and an error of it is heard", async () => {
  const asked: string[] = [];
  const view = {
    get: async (key: string): Promise<undefined> => {
      asked.push(key);
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("a record has changed since it was last seen");
    },
  } as unknown as View;
  await assert.rejects(async () => findAny(view, 1n, ["folder", "file"]), /has changed/);
  // A second one that nobody hears would end the process; the runner of these tests makes it a failure.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(asked.length, 1);
});
