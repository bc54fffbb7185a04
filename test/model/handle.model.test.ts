import { test } from "node:test";
import { seedOfThisRun } from "../support/seed.ts";
import { runHandleHistory } from "./handle-histories.ts";

test("opens, locks and REST calls of a file answer as the matrices say over any history", async (t) => {
  const seed = seedOfThisRun(t);
  for (let i = 0; i < 300; i++) await runHandleHistory((seed + i * 7_919) % 2 ** 31, 40, new Set());
});
