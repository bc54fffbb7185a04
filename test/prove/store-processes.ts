import { killInTurn, passTokens, visitWhileOthersCount } from "../contract/processes/stories.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "store-processes",
  what: "processes that share a store see each other's acknowledged writes at once, and survive each other's death",
  async run({ quick, progress, seed }) {
    const rounds = quick ? 2_000 : 20_000;
    const stale = await passTokens(rounds);
    progress(`${rounds} tokens passed, ${stale} stale`);
    const joined = await visitWhileOthersCount(quick ? 10_000 : 60_000);
    progress(`${joined} visits`);
    const killed = await killInTurn({ kills: quick ? 20 : 200, seed });
    return {
      ok: stale === 0,
      figure: `${rounds} tokens passed, ${stale} stale; ${joined} visits; ${killed}`,
    };
  },
};
