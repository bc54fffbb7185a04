import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type DueRecord, type GarbageRecord } from "../../store/records/blob.ts";
/** What the account says about deleting: for how long things can be had back. */
export interface SoftDelete {
    readonly at: Instant;
    readonly until: Instant;
    readonly allowsPermanentDelete: boolean;
}
/** Undefined while soft delete is off. Read in the transaction that deletes: a change of the rule counts at once. */
export declare function readSoftDelete(read: Reader, account: string): Promise<SoftDelete | undefined>;
/** Days left, as listings tell them: a part of a day counts as one. */
export declare function daysLeft(until: Instant, now: Instant): number;
/** Nobody names it any more; the reclaimer takes it apart, in steps. */
export declare function discard(write: Writer, garbage: GarbageRecord): void;
/** Has it looked at when its time comes. */
export declare function remind(write: Writer, at: Instant, due: DueRecord): Revision;
