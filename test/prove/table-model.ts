import fc from "fast-check";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openEmbedded } from "../contract/store/engines.ts";
import { followsModel, history } from "../model/table-histories.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "table-model",
  what: "over random histories of conditional changes and batches, tables answer like a plain Map",
  async run({ quick, progress, seed }) {
    const memory = quick ? 5_000 : 100_000;
    const embedded = quick ? 100 : 1_000;
    const inMemory = fc.asyncProperty(history, (rounds) => followsModel(new MemoryStore(), rounds));
    const onDisk = fc.asyncProperty(history, async (rounds) => {
      const opened = await openEmbedded();
      try {
        await followsModel(opened.store, rounds);
      } finally {
        await opened.remove();
      }
    });
    for (const [name, property, numRuns] of [
      ["memory", inMemory, memory],
      ["embedded", onDisk, embedded],
    ] as const) {
      // In portions, so that a long run can be followed.
      const portion = Math.ceil(numRuns / 10);
      for (let done = 0; done < numRuns; done += portion) {
        const result = await fc.check(property, { numRuns: portion, seed: seed + done });
        if (result.failed) return { ok: false, figure: `${name}: ${fc.defaultReportMessage(result)}` };
        progress(`${name}: ${done + portion} histories`);
      }
    }
    return { ok: true, figure: `memory: ${memory} histories, embedded: ${embedded}, 0 differences` };
  },
};
