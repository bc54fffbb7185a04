import fc from "fast-check";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openEmbedded, openMemory } from "../contract/store/engines.ts";
import { blobFollowsModel, blobHistory } from "../model/blob-histories.ts";
import { runHistory as runFileHistory } from "../model/file-histories.ts";
import { runHandleHistory } from "../model/handle-histories.ts";
import { handleCells } from "../model/handle-model.ts";
import { leaseCells } from "../model/lease-table.ts";
import { queueFollowsModel, queueHistory } from "../model/queue-histories.ts";
import { runLeaseSequence, runLockSequence } from "../model/rule-sequences.ts";
import { followsModel as tableFollowsModel, history as tableHistory } from "../model/table-histories.ts";
import type { Proof } from "../support/proof.ts";

/** One model, and how often it is compared. A sequence is a history of some dozens of steps. */
interface Part {
  readonly name: string;
  readonly sequences: number;
  readonly quick: number;
  /** Runs so many of them from this seed on; a difference is thrown. */
  run(count: number, seed: number, visited: Set<string>): Promise<void>;
  /** Those the sequences must have come by. */
  readonly cells?: readonly string[];
  /** Some of them are rare: a quick run may miss them. */
  readonly areCellsRare?: boolean;
}

const checked =
  <T>(arbitrary: fc.Arbitrary<T>, follows: (given: T, visited: Set<string>) => Promise<void>) =>
  async (count: number, seed: number, visited: Set<string>): Promise<void> => {
    const property = fc.asyncProperty(arbitrary, (given) => follows(given, visited));
    const result = await fc.check(property, { numRuns: count, seed });
    if (result.failed) throw new Error(fc.defaultReportMessage(result));
  };

const seeded =
  (run: (seed: number, visited: Set<string>) => Promise<void> | void) =>
  async (count: number, seed: number, visited: Set<string>): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const own = (seed + i * 7_919) % 2 ** 31;
      try {
        await run(own, visited);
      } catch (error) {
        throw new Error(`sequence of seed ${own}: ${(error as Error).message}`);
      }
    }
  };

async function tableOnDisk(rounds: Parameters<typeof tableFollowsModel>[1]): Promise<void> {
  const opened = await openEmbedded();
  try {
    await tableFollowsModel(opened.store, rounds);
  } finally {
    await opened.remove();
  }
}

const PARTS: readonly Part[] = [
  {
    name: "lease rules",
    sequences: 200_000,
    quick: 20_000,
    run: seeded((seed, visited) => runLeaseSequence(seed, 30, visited)),
    cells: leaseCells(),
  },
  {
    name: "share modes and locks",
    sequences: 430_000,
    quick: 20_000,
    run: seeded((seed, visited) => runLockSequence(seed, 40, visited)),
  },
  {
    name: "SMB handles and REST",
    sequences: 20_000,
    quick: 1_500,
    run: seeded((seed, visited) => runHandleHistory(seed, 40, visited)),
    cells: handleCells(),
    areCellsRare: true,
  },
  {
    name: "blobs",
    sequences: 100_000,
    quick: 4_000,
    run: checked(blobHistory, (steps, visited) => blobFollowsModel(openMemory, steps, visited)),
    cells: leaseCells(),
    areCellsRare: true,
  },
  {
    name: "blobs on disk",
    sequences: 1_000,
    quick: 50,
    run: checked(blobHistory, (steps, visited) => blobFollowsModel(openEmbedded, steps, visited)),
  },
  {
    name: "queues",
    sequences: 100_000,
    quick: 2_000,
    run: checked(queueHistory, (steps) => queueFollowsModel(openMemory, steps)),
  },
  {
    name: "queues on disk",
    sequences: 1_000,
    quick: 50,
    run: checked(queueHistory, (steps) => queueFollowsModel(openEmbedded, steps)),
  },
  {
    name: "tables",
    sequences: 137_000,
    quick: 4_000,
    run: checked(tableHistory, (rounds) => tableFollowsModel(new MemoryStore(), rounds)),
  },
  { name: "tables on disk", sequences: 1_000, quick: 50, run: checked(tableHistory, tableOnDisk) },
  {
    name: "files",
    sequences: 50_000,
    quick: 200,
    run: seeded((seed) => runFileHistory({ seed, steps: 50 })),
  },
];

/** What it has to come to, but for a quick run. */
const SEQUENCES_MIN = 1_000_000;

/** So often a part says how far it is. */
const PORTIONS = 10;

export const proof: Proof = {
  name: "models",
  what: "over random sequences, the rules and the services answer as plain models written from the protocol's tables",
  minutes: 16,
  async run({ length, progress, seed }) {
    const isQuick = length === "quick";
    let total = 0;
    let cellsVisited = 0;
    for (const part of PARTS) {
      const sequences = isQuick ? part.quick : part.sequences;
      const visited = new Set<string>();
      const portion = Math.ceil(sequences / PORTIONS);
      for (let done = 0; done < sequences; done += portion) {
        try {
          await part.run(Math.min(portion, sequences - done), seed + done, visited);
        } catch (error) {
          return { ok: false, summary: `${part.name}: ${(error as Error).message}` };
        }
        if (!isQuick && done > 0) progress(`${part.name}: ${done + portion} sequences`);
      }
      const cells = isQuick && part.areCellsRare === true ? [] : (part.cells ?? []);
      const missed = cells.filter((cell) => !visited.has(cell));
      if (missed.length > 0) {
        return { ok: false, summary: `${part.name}: not visited: ${missed.slice(0, 10).join(", ")}` };
      }
      cellsVisited += cells.length;
      total += sequences;
      progress(`${part.name}: ${sequences} sequences, 0 differences`);
    }
    const summary = `${total} sequences, ${cellsVisited} cells, all visited, 0 differences`;
    return { ok: isQuick || total >= SEQUENCES_MIN, summary };
  },
};
