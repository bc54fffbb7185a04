import { seededRandom } from "../../src/base/random.ts";
import { printBackupStats, runBackupRounds } from "../support/backup-rounds.ts";
import type { Proof } from "../support/proof.ts";

const ROUNDS = { quick: 5, usual: 60, long: 300 };

export const proof: Proof = {
  name: "backup",
  what: "a backup made under load restores to a state that a linearizable history allows, also when backup and restore are killed",
  minutes: 6,
  async run({ directory, length, seed, progress }) {
    const random = seededRandom(seed);
    const stats = await runBackupRounds({ directory, random, rounds: ROUNDS[length], millis: 500, progress });
    return { ok: stats.problems.length === 0 && stats.backups > 0, summary: printBackupStats(stats) };
  },
};
