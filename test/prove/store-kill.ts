import { isClean, killStore, printFigures } from "../crash/store-kill.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "store-kill",
  what: "a process killed with SIGKILL at any moment loses nothing it acknowledged, and leaves nothing half done",
  async run({ quick, progress, seed }) {
    const figures = await killStore({ kills: quick ? 50 : 500, seed, progress });
    return { ok: isClean(figures), figure: printFigures(figures) };
  },
};
