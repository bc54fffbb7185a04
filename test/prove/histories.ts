import { join } from "node:path";
import { recordHistory, type Subject } from "../history/record.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { Members, Product } from "../support/product.ts";
import type { Proof } from "../support/proof.ts";

/** How the product runs while a history is recorded; kills are those of each second history. */
interface Mode {
  readonly name: string;
  readonly kill: "one" | "all";
  readonly kills: number;
  /** How many workers, or members on one PostgreSQL. */
  readonly workers?: number;
  readonly members?: number;
}

const MODES: readonly Mode[] = [
  { name: "1 process", workers: 1, kill: "all", kills: 0 },
  { name: "3 workers", workers: 3, kill: "one", kills: 0 },
  { name: "1 process, killed", workers: 1, kill: "all", kills: 2 },
  { name: "3 workers, one killed", workers: 3, kill: "one", kills: 3 },
  { name: "3 workers, all killed", workers: 3, kill: "all", kills: 2 },
  { name: "3 members", members: 3, kill: "one", kills: 0 },
  { name: "3 members, one killed", members: 3, kill: "one", kills: 2 },
  { name: "3 members, all killed", members: 3, kill: "all", kills: 1 },
];

/** In all modes together 204 and more than a million; in the quick run 16 of 1,000 each. */
const HISTORIES = 30;
const HISTORIES_OF_MEMBERS = 18;
const OPERATIONS = 5_000;
const QUICK = { histories: 2, operations: 1_000 };

/** What it has to come to, but for a quick run. */
const HISTORIES_MIN = 200;
const OPERATIONS_MIN = 1_000_000;

interface Started {
  readonly subject: Subject;
  stop(): Promise<void>;
}

async function start({ workers = 1, members }: Mode, directory: string): Promise<Started> {
  if (members === undefined) {
    const product = new Product({ directory, workers });
    await product.start();
    return { subject: product, stop: () => product.stop("SIGKILL").then(() => {}) };
  }
  const database = await TestDatabase.create();
  const several = new Members(members, ["--store", database.address("histories")]);
  const stop = async (): Promise<void> => {
    await several.stop("SIGKILL");
    await database.remove();
  };
  try {
    await several.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { subject: several, stop };
}

export const proof: Proof = {
  name: "histories",
  what: "what concurrent clients of all services see could have come from one copy that does one thing at a time",
  minutes: 25,
  async run({ length, progress, seed, directory }) {
    const isQuick = length === "quick";
    const operations = isQuick ? QUICK.operations : OPERATIONS;
    const totals = { histories: 0, operations: 0, unacknowledged: 0, kills: 0 };
    for (const mode of MODES) {
      const { name, kill, kills, members } = mode;
      const { subject, stop } = await start(mode, join(directory, name.replaceAll(/\W+/g, "-")));
      const full = members === undefined ? HISTORIES : HISTORIES_OF_MEMBERS;
      const count = isQuick ? QUICK.histories : full;
      try {
        for (let round = 0; round < count; round += 2) {
          // Two side by side, as each of them waits for messages to come back; the deaths are those of the
          // first.
          const outcomes = await Promise.all(
            [0, 1].map((side) =>
              recordHistory({
                subject,
                name: `history${round + side}`,
                seed: seed + (totals.histories + side) * 7_919,
                clients: 5,
                operations,
                kill,
                kills: side === 0 ? kills : 0,
                isAnybodyKilled: kills > 0,
              }),
            ),
          );
          for (const outcome of outcomes) {
            totals.histories++;
            totals.operations += outcome.operations;
            totals.unacknowledged += outcome.unacknowledged;
            totals.kills += outcome.kills;
            if (outcome.fault !== undefined) {
              return { ok: false, summary: `history ${totals.histories} (${name}): ${outcome.fault}` };
            }
          }
          if (round % 10 === 8 || isQuick) progress(`${name}: ${print(totals)}`);
        }
      } finally {
        await stop();
      }
    }
    const isEnough = isQuick || (totals.histories >= HISTORIES_MIN && totals.operations >= OPERATIONS_MIN);
    return { ok: isEnough, summary: `${print(totals)}, 0 illegal${isEnough ? "" : ", too few"}` };
  },
};

function print(totals: {
  histories: number;
  operations: number;
  unacknowledged: number;
  kills: number;
}): string {
  const { histories, operations, unacknowledged, kills } = totals;
  return `${histories} histories, ${operations} operations, ${kills} kills, ${unacknowledged} unacknowledged`;
}
