import fc from "fast-check";
import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import { queueFollowsModel, queueHistory } from "../model/queue-histories.ts";
import type { Proof } from "../support/proof.ts";

const HISTORIES = 100_000;

export const proof: Proof = {
  name: "queue-model",
  what: "over random histories with a moving clock, a queue answers like a plain list of messages",
  async run({ quick, progress, seed }) {
    const engines = [
      { name: "memory", open: openMemory, runs: quick ? 3_000 : HISTORIES },
      { name: "embedded", open: openEmbedded, runs: quick ? 100 : 1_000 },
    ];
    const figures: string[] = [];
    for (const { name, open, runs } of engines) {
      let done = 0;
      const property = fc.asyncProperty(queueHistory, async (steps) => {
        await queueFollowsModel(open, steps);
        if (++done % 10_000 === 0) progress(`${name}: ${done} histories`);
      });
      const result = await fc.check(property, { numRuns: runs, seed });
      if (result.failed) return { ok: false, figure: `${name}: ${fc.defaultReportMessage(result)}` };
      figures.push(`${name}: ${runs} histories, 0 differences`);
      progress(figures.at(-1)!);
    }
    return { ok: true, figure: figures.join("; ") };
  },
};
