import { isRotClean, printRot, runBitRot } from "../crash/bit-rot.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "bit-rot",
  what: "whichever bits flip in the files of a store, a read gives the right bytes or an error",
  minutes: 3,
  async run({ length, progress, seed, directory }) {
    const runs = { quick: 100, usual: 3_000, long: 20_000 }[length];
    const stats = await runBitRot({ runs, seed, directory, progress });
    return { ok: isRotClean(stats), summary: printRot(stats) };
  },
};
