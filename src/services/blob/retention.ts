import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { dueKey, garbageKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type DueRecord, dueRecord, type GarbageRecord, garbageRecord } from "../../store/records/blob.ts";
import { findServiceProperties } from "../account/get-service-properties.ts";

const DAY_MILLIS = 24 * 60 * 60_000;

/** What the account says about deleting: for how long things can be had back. */
export interface SoftDelete {
  readonly at: Instant;
  readonly until: Instant;
  readonly allowsPermanentDelete: boolean;
}

/** Undefined while soft delete is off. Read in the transaction that deletes: a change of the rule counts at once. */
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

/** Nobody names it any more; the reclaimer takes it apart, in steps. */
export function discard(write: Writer, garbage: GarbageRecord): void {
  write.put(garbageKey(write.revision()), garbageRecord.pack(garbage));
}

/** Has it looked at when its time comes. */
export function remind(write: Writer, at: Instant, due: DueRecord): Revision {
  const revision = write.revision();
  write.put(dueKey(at, revision), dueRecord.pack(due));
  return revision;
}
