import { test } from "node:test";
import fc from "fast-check";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openEmbedded } from "../contract/store/engines.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { filterCase, filtersLikeModel } from "./table-filters.ts";
import { followsModel, history } from "./table-histories.ts";

test("conditional changes and batches follow the model over any history, in memory", async (t) => {
  const seed = seedOfThisRun(t);
  const property = fc.asyncProperty(history, (rounds) => followsModel(new MemoryStore(), rounds));
  await fc.assert(property, { numRuns: 1_000, seed });
});

test("conditional changes and batches follow the model over any history, embedded", async (t) => {
  const seed = seedOfThisRun(t);
  const property = fc.asyncProperty(history, async (rounds) => {
    const opened = await openEmbedded();
    try {
      await followsModel(opened.store, rounds);
    } finally {
      await opened.remove();
    }
  });
  await fc.assert(property, { numRuns: 25, seed });
});

test("a filter finds what a plain interpreter finds, whatever it says and whatever is stored", async (t) => {
  const seed = seedOfThisRun(t);
  const property = fc.asyncProperty(filterCase, (one) => filtersLikeModel(new MemoryStore(), one));
  await fc.assert(property, { numRuns: 300, seed });
});
