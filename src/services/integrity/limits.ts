import { MIB } from "../../base/limits.ts";

export const INTEGRITY_LIMITS = {
  /** Records that one read transaction of a check reads. */
  recordsPerRead: 256,
  /** Findings that a report lists; more are counted. */
  findingsMax: 10_000,
  /** Keys that are kept of each account that does not add up. */
  keysPerAccountMax: 4,
  /** Repairs in one transaction. */
  repairsPerWrite: 100,
  /** A repair may reveal the next inconsistency, so check and repair alternate. */
  repairRoundsMax: 5,
  /** Payload between two reports of progress. */
  progressBytes: 4 * MIB,
} as const;
