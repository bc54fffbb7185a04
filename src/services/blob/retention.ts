import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { dueKey, garbageKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type DueRecord, dueRecord, type GarbageRecord, garbageRecord } from "../../store/records/blob.ts";
import { findServiceProperties } from "../account/get-service-properties.ts";

const DAY_MILLIS = 24 * 60 * 60_000;

/** The account's delete retention policy, applied to a deletion at `at`. */
export interface SoftDelete {
  readonly at: Instant;
  readonly until: Instant;
  readonly allowsPermanentDelete: boolean;
}

/**
 * Undefined while soft delete is off. Read in the transaction that deletes, so a new policy applies at once.
 */
export async function readSoftDelete(read: Reader, account: string): Promise<SoftDelete | undefined> {
  const deleteRetention = (await findServiceProperties(read, account, "blob"))?.deleteRetention;
  if (deleteRetention?.isEnabled !== true || deleteRetention.days === undefined) return undefined;
  const at = read.now();
  return {
    at,
    until: at + deleteRetention.days * DAY_MILLIS,
    allowsPermanentDelete: deleteRetention.allowsPermanentDelete ?? false,
  };
}

/** No record refers to this any more; the reclaimer removes it in bounded steps. */
export function discard(write: Writer, garbage: GarbageRecord): void {
  write.put(garbageKey(write.revision()), garbageRecord.pack(garbage));
}

/**
 * Has the background job in deadlines.ts process this at `at`. Returns the revision in the deadline's key.
 */
export function scheduleDeadline(write: Writer, at: Instant, due: DueRecord): Revision {
  const revision = write.revision();
  write.put(dueKey(at, revision), dueRecord.pack(due));
  return revision;
}
