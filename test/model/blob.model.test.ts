import { test } from "node:test";
import fc from "fast-check";
import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { blobFollowsModel, blobHistory } from "./blob-histories.ts";

for (const [name, open, numRuns] of [
  ["memory", openMemory, 1_000],
  ["embedded", openEmbedded, 40],
] as const) {
  test(`leases and conditions on ${name} follow the model over any history`, async (t) => {
    const seed = seedOfThisRun(t);
    const property = fc.asyncProperty(blobHistory, (steps) => blobFollowsModel(open, steps));
    await fc.assert(property, { numRuns, seed });
  });
}
