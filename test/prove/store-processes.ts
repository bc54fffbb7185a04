import { killOneByOne, passTokens, visitWhileOthersCount } from "../contract/processes/stories.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "store-processes",
  what: "processes that share a store see each other's acknowledged writes at once, and survive each other's death",
  minutes: 1,
  async run({ length, progress, seed }) {
    const rounds = { quick: 1_000, usual: 5_000, long: 20_000 }[length];
    const stale = await passTokens(rounds);
    progress(`${rounds} tokens passed, ${stale} stale`);
    const joined = await visitWhileOthersCount({ quick: 5_000, usual: 20_000, long: 60_000 }[length]);
    progress(`${joined} visits`);
    const killed = await killOneByOne({ kills: { quick: 10, usual: 50, long: 200 }[length], seed });
    return {
      ok: stale === 0,
      summary: `${rounds} tokens passed, ${stale} stale; ${joined} visits; ${killed}`,
    };
  },
};
