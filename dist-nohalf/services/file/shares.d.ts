import type { Instant } from "../../base/clock.ts";
import { type RefusalCode } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { type Lease } from "../../concurrency/lease.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type LeaseRecord, type ShareRecord, type SnapshotRecord } from "../../store/records/file.ts";
import type { ShareRef, SnapshotRef } from "./names.ts";
import { type View, type Volume } from "./versions.ts";
/** What the operations on shares have in common. */
export declare function findShare(read: Reader, { account, share }: ShareRef): Promise<ShareRecord | undefined>;
export declare function readShare(read: Reader, ref: ShareRef): Promise<ShareRecord>;
export declare function putShare(write: Writer, { account, share }: ShareRef, record: ShareRecord): void;
export declare function findSnapshot(read: Reader, share: bigint, time: bigint): Promise<SnapshotRecord | undefined>;
export declare function readSnapshot(read: Reader, share: bigint, time: bigint): Promise<SnapshotRecord>;
/** A share and its contents, now or at a snapshot. */
export interface OpenShare {
    readonly share: ShareRecord;
    readonly view: View;
}
export declare function openShare(read: Reader, ref: SnapshotRef): Promise<OpenShare>;
/** The past cannot be written. */
export declare function refuseSnapshot({ snapshot }: SnapshotRef): void;
export declare function volumeOf(share: ShareRecord): Volume;
export declare function throwIf(code: RefusalCode | undefined): void;
export declare function leaseOf(record: {
    readonly lease?: LeaseRecord;
}): Lease;
/** The record with its lease as given: an available one is not stored. */
export declare function withLease<T extends {
    readonly lease?: LeaseRecord;
}>(record: T, lease: Lease): T;
export declare function readUsage(read: Reader, share: bigint): Promise<number>;
/**
 * Bytes used are the sizes of all files together: what a quota is about, and what a client can add up for itself.
 * The counter changes in the transaction that changes a size. A share over its quota (which was lowered) takes
 * no growth, and everything else.
 */
export declare function changeUsage(write: Writer, share: ShareRecord, change: number): Promise<void>;
/** A revision and the time it stands for. */
export interface Stamped {
    readonly revision: Revision;
    readonly now: Instant;
}
