import { test } from "node:test";
import fc from "fast-check";
import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { followsModel, history } from "./store-histories.ts";

for (const [name, open, numRuns] of [
  ["memory", openMemory, 400],
  ["embedded", openEmbedded, 100],
] as const) {
  test(`${name} answers like a sorted array over any history of transactions`, async (t) => {
    const seed = seedOfThisRun(t);
    await fc.assert(
      fc.asyncProperty(history, (rounds) => followsModel(open, rounds)),
      { numRuns, seed },
    );
  });
}
