import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import type { Proof } from "../support/proof.ts";
import { readersSeeWholeBatches } from "../support/table-readers.ts";

export const proof: Proof = {
  name: "table-readers",
  what: "no reader of a partition ever sees part of a batch",
  minutes: 1,
  async run({ length, progress }) {
    const reads = length === "quick" ? 20_000 : 500_000;
    const figures: string[] = [];
    for (const [name, open] of [
      ["memory", openMemory],
      ["embedded", openEmbedded],
    ] as const) {
      const opened = await open();
      try {
        const { broken, batches, turnsSeen } = await readersSeeWholeBatches(opened.store, { reads });
        if (broken !== undefined) return { ok: false, figure: `${name}: a reader saw ${broken}` };
        figures.push(`${name}: ${reads} reads, ${batches} batches, ${turnsSeen} of them seen`);
        progress(figures.at(-1)!);
      } finally {
        await opened.remove();
      }
    }
    return { ok: true, figure: figures.join("; ") };
  },
};
