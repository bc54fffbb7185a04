import { test } from "node:test";
import fc from "fast-check";
import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { queueFollowsModel, queueHistory } from "./queue-histories.ts";

for (const [name, open, numRuns] of [
  ["memory", openMemory, 500],
  ["embedded", openEmbedded, 40],
] as const) {
  test(`a queue on ${name} answers like a list of messages over any history`, async (t) => {
    const seed = seedOfThisRun(t);
    const property = fc.asyncProperty(queueHistory, (steps) => queueFollowsModel(open, steps));
    await fc.assert(property, { numRuns, seed });
  });
}
