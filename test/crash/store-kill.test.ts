import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOfThisRun } from "../support/seed.ts";
import { isClean, killStore, printStats } from "./store-kill.ts";

test("a process killed at any moment loses nothing that it acknowledged", async (t) => {
  const figures = await killStore({ kills: 60, seed: seedOfThisRun(t) });
  t.diagnostic(printStats(figures));
  assert.ok(isClean(figures), printStats(figures));
  assert.ok(figures.acknowledged > 1_000 && figures.killedInOpen > 0);
});
