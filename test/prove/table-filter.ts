import fc from "fast-check";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { FILTERS_PER_CASE, filterCase, filtersLikeModel } from "../model/table-filters.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "table-filter",
  what: "any filter finds in any table what a plain interpreter finds",
  minutes: 1,
  async run({ length, progress, seed }) {
    const tables = length === "quick" ? 1_000 : 10_000;
    const portion = tables / 10;
    const property = fc.asyncProperty(filterCase, (one) => filtersLikeModel(new MemoryStore(), one));
    for (let done = 0; done < tables; done += portion) {
      const result = await fc.check(property, { numRuns: portion, seed: seed + done });
      if (result.failed) return { ok: false, summary: `${fc.defaultReportMessage(result)}` };
      progress(`${(done + portion) * FILTERS_PER_CASE} filters`);
    }
    return { ok: true, summary: `${tables * FILTERS_PER_CASE} filters over ${tables} tables, 0 differences` };
  },
};
