import { test } from "node:test";
import { seedOfThisRun } from "../support/seed.ts";
import { runLeaseSequence, runLockSequence } from "./rule-sequences.ts";
import { runStreamSequence } from "./stream-sequences.ts";

test("the rules of leases answer as the tables say over any sequence", (t) => {
  const seed = seedOfThisRun(t);
  for (let i = 0; i < 3_000; i++) runLeaseSequence(seed + i, 30, new Set());
});

test("the rules of share modes and locks answer as the matrices say over any sequence", (t) => {
  const seed = seedOfThisRun(t);
  for (let i = 0; i < 3_000; i++) runLockSequence(seed + i, 40, new Set());
});

test("opens of named streams meet those of their file and REST calls as the table of pairs says", (t) => {
  const seed = seedOfThisRun(t);
  for (let i = 0; i < 3_000; i++) runStreamSequence(seed + i, 40);
});
