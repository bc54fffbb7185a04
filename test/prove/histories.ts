import { join } from "node:path";
import { recordHistory } from "../history/record.ts";
import { Product } from "../support/product.ts";
import type { Proof } from "../support/proof.ts";

/** How the product runs while a history is recorded; one after the other, and again from the start. */
const MODES = [
  { name: "1 process", workers: 1, kill: "all", kills: 0 },
  { name: "3 workers", workers: 3, kill: "one", kills: 0 },
  { name: "1 process, killed", workers: 1, kill: "all", kills: 2 },
  { name: "3 workers, one killed", workers: 3, kill: "one", kills: 3 },
  { name: "3 workers, all killed", workers: 3, kill: "all", kills: 2 },
] as const;

export const proof: Proof = {
  name: "histories",
  what: "what concurrent HTTP clients of all services see could have come from one copy that does one thing at a time",
  async run({ quick, progress, seed, directory }) {
    const histories = quick ? 10 : 200;
    const operations = quick ? 3_000 : 5_600;
    const perMode = histories / MODES.length;
    const totals = { histories: 0, operations: 0, unheard: 0, kills: 0 };
    for (const mode of MODES) {
      const { name, workers, kill, kills } = mode;
      const product = new Product({ directory: join(directory, name.replaceAll(/\W+/g, "-")), workers });
      await product.start();
      try {
        for (let round = 0; round < perMode; round += 2) {
          // Two side by side, as each of them waits for messages to come back; the deaths are those of the first.
          const plan = { product, clients: 5, operations, kill };
          const outcomes = await Promise.all(
            [0, 1].map((side) =>
              recordHistory({
                ...plan,
                name: `history${round + side}`,
                seed: seed + (totals.histories + side) * 7_919,
                kills: side === 0 ? kills : 0,
              }),
            ),
          );
          for (const outcome of outcomes) {
            totals.histories++;
            totals.operations += outcome.operations;
            totals.unheard += outcome.unheard;
            totals.kills += outcome.kills;
            if (outcome.fault !== undefined) {
              return { ok: false, figure: `history ${totals.histories} (${name}): ${outcome.fault}` };
            }
          }
          if (round % 10 === 8 || quick) progress(`${name}: ${print(totals)}`);
        }
      } finally {
        await product.stop("SIGKILL");
      }
    }
    return { ok: true, figure: `${print(totals)}, 0 illegal` };
  },
};

function print(totals: { histories: number; operations: number; unheard: number; kills: number }): string {
  const { histories, operations, unheard, kills } = totals;
  return `${histories} histories, ${operations} operations, ${kills} kills, ${unheard} unheard`;
}
