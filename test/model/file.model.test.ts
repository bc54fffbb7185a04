import { test } from "node:test";
import { seedOfThisRun } from "../support/seed.ts";
import { runHistory } from "./file-histories.ts";

test("a share answers like a plain tree of files over any history", async (t) => {
  const seed = seedOfThisRun(t);
  for (let i = 0; i < 150; i++) await runHistory({ seed: (seed + i * 7_919) % 2 ** 31, steps: 50 });
});
