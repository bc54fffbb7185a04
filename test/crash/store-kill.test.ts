import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOfThisRun } from "../support/seed.ts";
import { isClean, killStore, printStats } from "./store-kill.ts";

test("a process killed at any moment loses nothing that it acknowledged", async (t) => {
  const stats = await killStore({ kills: 60, seed: seedOfThisRun(t) });
  t.diagnostic(printStats(stats));
  assert.ok(isClean(stats), printStats(stats));
  assert.ok(stats.acknowledged > 1_000 && stats.killedInOpen > 0);
});
