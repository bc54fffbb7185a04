import fc from "fast-check";
import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import { blobFollowsModel, blobHistory } from "../model/blob-histories.ts";
import { ACTION_TABLE, LEASE_STATES, USE_TABLE } from "../model/lease-table.ts";
import type { Proof } from "../support/proof.ts";

const HISTORIES = 100_000;

/** Every cell of the lease tables, for blobs and for containers. */
function allCells(): string[] {
  const cells: string[] = [];
  for (const what of ["Blob", "Container"] as const) {
    for (const row of [...Object.keys(ACTION_TABLE), ...Object.keys(USE_TABLE[what])]) {
      for (const state of LEASE_STATES) {
        // Without a lease there is no id A to name: every id is another one then.
        const namesNone = state === "available" && / A( |$)/.test(row);
        if (!namesNone) cells.push(`${what} ${row} | ${state}`);
      }
    }
  }
  return cells;
}

export const proof: Proof = {
  name: "blob-model",
  what: "over random histories with a moving clock, leases and conditions answer as the protocol's tables say",
  async run({ quick, progress, seed }) {
    const engines = [
      { name: "memory", open: openMemory, runs: quick ? 5_000 : HISTORIES },
      { name: "embedded", open: openEmbedded, runs: quick ? 100 : 1_000 },
    ];
    const figures: string[] = [];
    for (const { name, open, runs } of engines) {
      const visited = new Set<string>();
      let done = 0;
      const property = fc.asyncProperty(blobHistory, async (steps) => {
        await blobFollowsModel(open, steps, visited);
        if (++done % 10_000 === 0) progress(`${name}: ${done} histories`);
      });
      const result = await fc.check(property, { numRuns: runs, seed });
      if (result.failed) return { ok: false, figure: `${name}: ${fc.defaultReportMessage(result)}` };
      const cells = allCells();
      const missed = cells.filter((cell) => !visited.has(cell));
      if (missed.length > 0 && name === "memory")
        return { ok: false, figure: `not visited: ${missed.join(", ")}` };
      figures.push(
        `${name}: ${runs} histories, ${cells.length - missed.length}/${cells.length} cells, 0 differences`,
      );
      progress(figures.at(-1)!);
    }
    return { ok: true, figure: figures.join("; ") };
  },
};
