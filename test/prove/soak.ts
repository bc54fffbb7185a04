import { brokenIn, printSoak, soak } from "../soak/soak.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "soak",
  what: "under mixed load for long, memory and descriptors stay flat, the event loop is prompt, the disk within 2x of live data",
  minutes: 21,
  isAlone: true,
  async run({ length, progress, seed, directory }) {
    const isQuick = length === "quick";
    const seconds = isQuick ? 12 : 20 * 60;
    const outcome = await soak({ directory, seconds, slots: isQuick ? 200 : 500, seed, progress });
    const broken = brokenIn(outcome);
    return { ok: broken.length === 0, summary: [printSoak(outcome), ...broken].join("; ") };
  },
};
