import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { type Conditions } from "../../concurrency/conditions.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type BlobRecord, type ContainerRecord } from "../../store/records/blob.ts";
import type { BlobRef } from "./names.ts";
/** What the operations on blobs have in common: finding them, and the order in which a write is judged. */
/** Which state of a blob is meant: the present one, a snapshot, or a version. */
export interface Selector {
    readonly snapshot?: Revision;
    readonly version?: Revision;
}
export interface Found {
    readonly container: ContainerRecord;
    /** The record at the blob's key, uncommitted or not. */
    readonly stored: BlobRecord | undefined;
    /** The same where it counts as a blob that exists. */
    readonly blob: BlobRecord | undefined;
}
export declare function findBlob(read: Reader, ref: BlobRef): Promise<Found>;
/** Only uncommitted blocks, or past its expiry: not there for anyone who asks for a blob. */
export declare function isThere(record: BlobRecord | undefined, now: Instant): record is BlobRecord;
/** What time alone has changed: a blob on its way out of the archive has arrived. */
export declare function settled(record: BlobRecord, now: Instant): BlobRecord;
/** A state of the blob for reading. Throws BlobNotFound. */
export declare function readState(read: Reader, ref: BlobRef, selector: Selector): Promise<State>;
export interface State {
    readonly container: ContainerRecord;
    readonly record: BlobRecord;
    readonly isCurrent: boolean;
}
export interface BlobGuards {
    readonly conditions: Conditions;
    readonly leaseId: string | undefined;
}
/** On reads an id is a condition; a snapshot or a version has no lease of its own. */
export declare function checkReadLease(read: Reader, { record, isCurrent }: State, leaseId: string | undefined): void;
/**
 * Whether a write may go ahead, in the order clients have come to rely on: the lease, then existence, then the
 * conditions, then the state the blob is in. A leased blob answers LeaseIdMissing even to "If-None-Match: *".
 */
export declare function checkBlobWrite(write: Writer, { stored, blob }: Found, guards: BlobGuards, kind: "create" | "change"): void;
/** A change of content, metadata or properties; deleting and tiering have their own rules. */
export declare function checkChangeable(blob: BlobRecord, now: Instant): void;
export declare function checkMutable(blob: BlobRecord, now: Instant): void;
/**
 * The one way a blob's present record is written: whatever must follow a blob's record around (an index over its
 * tags, say) belongs here. `before` is what the key held.
 */
export declare function putBlobRecord(write: Writer, place: {
    readonly container: ContainerRecord;
    readonly ref: BlobRef;
}, before: BlobRecord | undefined, after: BlobRecord | undefined): void;
/** The lease a written blob carries on: one in force, or none. */
export declare function withLeaseAfterWrite(record: BlobRecord, before: BlobRecord | undefined, now: Instant): BlobRecord;
