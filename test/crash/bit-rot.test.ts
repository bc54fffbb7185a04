import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../contract/store/engines.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { isRotClean, printRot, runBitRot } from "./bit-rot.ts";

test("flipped bits in the files of a store never give other bytes", async (t) => {
  const directory = temporaryDirectory();
  const stats = await runBitRot({ runs: 40, seed: seedOfThisRun(t), directory });
  t.diagnostic(printRot(stats));
  assert.ok(isRotClean(stats), printRot(stats));
  assert.ok(stats.faults > 0);
  rmSync(directory, { recursive: true });
});
