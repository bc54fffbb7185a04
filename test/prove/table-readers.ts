import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import type { Proof } from "../support/proof.ts";
import { readersSeeWholeBatches } from "../support/table-readers.ts";

export const proof: Proof = {
  name: "table-readers",
  what: "no reader of a partition ever sees part of a batch",
  minutes: 1,
  async run({ length, progress }) {
    const reads = length === "quick" ? 20_000 : 500_000;
    const stats: string[] = [];
    for (const [name, open] of [
      ["memory", openMemory],
      ["embedded", openEmbedded],
    ] as const) {
      const opened = await open();
      try {
        const { broken, batches, batchesSeen } = await readersSeeWholeBatches(opened.store, { reads });
        if (broken !== undefined) return { ok: false, summary: `${name}: a reader saw ${broken}` };
        stats.push(`${name}: ${reads} reads, ${batches} batches, ${batchesSeen} of them seen`);
        progress(stats.at(-1)!);
      } finally {
        await opened.remove();
      }
    }
    return { ok: true, summary: stats.join("; ") };
  },
};
