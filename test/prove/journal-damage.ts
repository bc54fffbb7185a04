import { isUndamaged, printDamage, runJournalDamage } from "../crash/journal-damage.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "journal-damage",
  what: "a journal with a damaged, missing, foreign or cut file is refused or reported, and loses nothing in silence",
  minutes: 2,
  async run({ length, directory }) {
    const stats = await runJournalDamage(directory, length === "quick" ? 7 : 1);
    return { ok: isUndamaged(stats), summary: printDamage(stats) };
  },
};
