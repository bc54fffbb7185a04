import fc from "fast-check";
import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import { followsModel, history } from "../model/store-histories.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "store-model",
  what: "over random histories of transactions, every engine answers like a sorted array",
  minutes: 1,
  async run({ length, progress, seed }) {
    const engines = [
      { name: "memory", open: openMemory, runs: { quick: 500, usual: 2_000, long: 10_000 }[length] },
      { name: "embedded", open: openEmbedded, runs: { quick: 100, usual: 600, long: 3_000 }[length] },
    ];
    const stats: string[] = [];
    for (const { name, open, runs } of engines) {
      const property = fc.asyncProperty(history, (rounds) => followsModel(open, rounds));
      const result = await fc.check(property, { numRuns: runs, seed });
      if (result.failed) return { ok: false, summary: `${name}: ${fc.defaultReportMessage(result)}` };
      stats.push(`${name}: ${runs} histories`);
      progress(stats.at(-1)!);
    }
    return { ok: true, summary: stats.join(", ") };
  },
};
