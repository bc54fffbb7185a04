import type { Instant, Millis } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
/** A lease as it is stored: the states of src/concurrency/lease.ts, absent while available. */
export type LeaseRecord = {
    readonly state: "leased";
    readonly id: string;
    readonly length: Millis | "infinite";
    readonly endsAt: Instant | "never";
} | {
    readonly state: "expired";
    readonly id: string;
    readonly length: Millis;
} | {
    readonly state: "breaking";
    readonly id: string;
    readonly brokenAt: Instant;
} | {
    readonly state: "broken";
    readonly id: string;
};
export interface PolicyRecord {
    readonly id: string;
    readonly start: Instant | undefined;
    readonly expiry: Instant | undefined;
    readonly permissions: string | undefined;
}
/** What a client may set of a share and read back. */
export interface ShareSettings {
    readonly quotaGib: number;
    readonly tier: string;
    readonly tierChangedAt: Instant;
    readonly protocols: "SMB" | "NFS";
    readonly rootSquash?: string;
    readonly snapshotDirectoryAccess?: boolean;
    readonly directoryLease?: boolean;
    readonly paidBursting?: {
        readonly iops?: number;
        readonly mibps?: number;
        readonly isEnabled: boolean;
    };
    readonly provisionedIops?: number;
    readonly provisionedMibps?: number;
}
export interface ShareRecord {
    /** Names the contents. */
    readonly id: bigint;
    readonly revision: Revision;
    readonly settings: ShareSettings;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly policies?: readonly PolicyRecord[];
    readonly lease?: LeaseRecord;
    /** The epoch of the newest snapshot; absent when there is none. */
    readonly epoch?: Revision;
    readonly snapshots?: number;
    /** SMB clients may have something open: REST calls look at the table of handles first. */
    readonly isOpened?: boolean;
    readonly deleted?: {
        readonly at: Instant;
        readonly until: Instant;
    };
}
export declare const shareRecord: import("./record.ts").RecordType<ShareRecord>;
export interface SnapshotRecord {
    /** The moment in the history of the contents. */
    readonly epoch: Revision;
    readonly revision: Revision;
    readonly settings: ShareSettings;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly lease?: LeaseRecord;
}
export declare const snapshotRecord: import("./record.ts").RecordType<SnapshotRecord>;
export declare const usageRecord: import("./record.ts").RecordType<{
    readonly bytes: number;
}>;
export declare const permissionRecord: import("./record.ts").RecordType<{
    readonly sddl: string;
}>;
export interface EntryRecord {
    /** As the client wrote it. */
    readonly name: string;
    readonly node: bigint;
    readonly kind: "file" | "directory";
}
export declare const entryRecord: import("./record.ts").RecordType<EntryRecord>;
export interface FileHeaders {
    readonly contentType?: string;
    readonly contentEncoding?: string;
    readonly contentLanguage?: string;
    readonly contentDisposition?: string;
    readonly cacheControl?: string;
    readonly contentMd5?: string;
}
export interface CopyRecord {
    readonly id: string;
    readonly source: string;
    readonly status: "pending" | "success" | "failed" | "aborted";
    readonly bytes: number;
    readonly total: number;
    readonly endedAt?: Instant;
    readonly description?: string;
}
/** A file or a directory. Times are in ticks of 100 ns since the year 1, as revisions are. */
export interface NodeRecord {
    readonly kind: "file" | "directory";
    readonly parent: bigint;
    readonly name: string;
    readonly revision: Revision;
    readonly attributes: number;
    readonly createdAt: bigint;
    readonly writtenAt: bigint;
    readonly changedAt: bigint;
    readonly permission?: string;
    readonly metadata?: Readonly<Record<string, string>>;
    /** Files only. */
    readonly size: number;
    readonly content: bigint;
    readonly dataRevision: Revision;
    readonly headers?: FileHeaders;
    readonly lease?: LeaseRecord;
    readonly copy?: CopyRecord;
}
export declare const nodeRecord: import("./record.ts").RecordType<NodeRecord>;
export interface SliceName {
    readonly extent: bigint;
    readonly offset: number;
    readonly length: number;
}
/**
 * A written range. Its bytes lie in the record, or in slices of which the first `skip` bytes (and what follows
 * `length` bytes after that) belong to it no more: later writes took them over.
 */
export type RangeRecord = {
    readonly inline: Buffer;
} | {
    readonly slices: readonly SliceName[];
    readonly skip: number;
    readonly length: number;
};
export declare const rangeRecord: import("./record.ts").RecordType<RangeRecord>;
export type GarbageRecord = 
/** Everything of a share. */
{
    readonly what: "share";
    readonly share: bigint;
}
/** The content of a file, which snapshots up to `epoch` may still see. */
 | {
    readonly what: "content";
    readonly share: bigint;
    readonly content: bigint;
    readonly epoch: Revision;
}
/** Versions kept for a snapshot that was deleted. */
 | {
    readonly what: "epoch";
    readonly share: bigint;
    readonly epoch: Revision;
};
export declare const garbageRecord: import("./record.ts").RecordType<GarbageRecord>;
export declare const purgeRecord: import("./record.ts").RecordType<{
    readonly account: string;
    readonly name: string;
}>;
export declare const openedShareRecord: import("./record.ts").RecordType<{
    readonly account: string;
    readonly name: string;
}>;
/** An open of an SMB client. `access` and `share` are the bits of src/concurrency/share-mode.ts. */
export interface HandleRecord {
    readonly kind: "file" | "directory";
    readonly access: number;
    readonly share: number;
    readonly openedAt: Instant;
    readonly session: bigint;
    readonly clientAddress: string;
    readonly clientName: string;
    readonly isDeleteOnClose: boolean;
    readonly reconnectedAt?: Instant;
    /** The process that serves it. */
    readonly owner: string;
}
export declare const handleRecord: import("./record.ts").RecordType<HandleRecord>;
export interface LockRecord {
    readonly offset: bigint;
    readonly length: bigint;
    readonly isExclusive: boolean;
}
export declare const locksRecord: import("./record.ts").RecordType<{
    readonly locks: readonly LockRecord[];
}>;
export declare const deletePendingRecord: import("./record.ts").RecordType<{
    readonly by: bigint;
}>;
export declare const restAccessRecord: import("./record.ts").RecordType<{
    readonly access: number;
    readonly share: number;
}>;
