import { isClean, killStore, printStats } from "../crash/store-kill.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "store-kill",
  what: "a process killed with SIGKILL at any moment loses nothing it acknowledged, and leaves nothing half done",
  minutes: 1,
  async run({ length, progress, seed }) {
    const stats = await killStore({ kills: { quick: 30, usual: 100, long: 500 }[length], seed, progress });
    return { ok: isClean(stats), summary: printStats(stats) };
  },
};
