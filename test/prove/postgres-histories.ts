import { recordHistory } from "../history/record.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { NodeFleet } from "../support/node-fleet.ts";
import type { Proof } from "../support/proof.ts";

const NODES = 3;

/** How many nodes die during one history, and whether one at a time or all of them. */
const MODES = [
  { name: "3 nodes", kill: "one", kills: 0 },
  { name: "3 nodes, one killed", kill: "one", kills: 3 },
  { name: "3 nodes, all killed", kill: "all", kills: 1 },
] as const;

export const proof: Proof = {
  name: "postgres-histories",
  what: "what clients of three nodes on one database see could have come from one copy that does one thing at a time",
  async run({ quick, progress, seed }) {
    const perMode = quick ? 1 : 12;
    const operations = quick ? 2_000 : 4_000;
    const database = await TestDatabase.create({ isForgetful: false });
    const totals = { histories: 0, operations: 0, unheard: 0, kills: 0 };
    const print = (): string =>
      `${totals.histories} histories, ${totals.operations} operations, ${totals.kills} kills, ${totals.unheard} unheard`;
    try {
      for (const [index, { name, kill, kills }] of MODES.entries()) {
        const fleet = new NodeFleet(database.address(`histories_${index}`), NODES);
        try {
          await fleet.start();
          for (let round = 0; round < perMode; round++) {
            const outcome = await recordHistory({
              product: fleet,
              name: `history${round}`,
              seed: seed + totals.histories * 7_919,
              clients: 4,
              operations,
              kills,
              kill,
            });
            totals.histories++;
            totals.operations += outcome.operations;
            totals.unheard += outcome.unheard;
            totals.kills += outcome.kills;
            if (outcome.fault !== undefined) {
              return { ok: false, figure: `history ${totals.histories} (${name}): ${outcome.fault}` };
            }
            progress(`${name}: ${print()}`);
          }
        } finally {
          await fleet.stop("SIGKILL");
        }
      }
    } finally {
      await database.remove();
    }
    return { ok: true, figure: `${print()}, 0 illegal` };
  },
};
