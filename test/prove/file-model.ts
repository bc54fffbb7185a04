import { runHistory } from "../model/file-histories.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "file-model",
  what: "over random histories of writes, renames, deletions and snapshots, a share answers like a plain tree of files",
  async run({ quick, progress, seed }) {
    const histories = quick ? 2_000 : 50_000;
    for (let i = 0; i < histories; i++) {
      try {
        await runHistory({ seed: (seed + i * 7_919) % 2 ** 31, steps: 50 });
      } catch (error) {
        return { ok: false, figure: (error as Error).message };
      }
      if ((i + 1) % 1_000 === 0) progress(`${i + 1} histories`);
    }
    return { ok: true, figure: `${histories} histories of 50 steps, 0 differences` };
  },
};
