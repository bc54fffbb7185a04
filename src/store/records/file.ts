import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { StoredLease } from "../../base/stored-lease.ts";
import type { PolicyRecord } from "./policy.ts";
import { recordType } from "./record.ts";

export {
  type CopyRecord,
  type EntryRecord,
  entryRecord,
  type FileHeaders,
  type InodeRecord,
  inodeRecord,
  type RangeRecord,
  rangeRecord,
  type SliceName,
} from "./file-contents.ts";
export { type HandleRecord, handleRecord } from "./file-handles.ts";

/** Properties of a share that a client may set. */
export interface ShareSettings {
  readonly quotaGib: number;
  readonly tier: string;
  readonly tierChangedAt: Instant;
  /** The tier before the present one, if there was one. */
  readonly formerTier?: string;
  readonly protocols: "SMB" | "NFS";
  readonly rootSquash?: string;
  readonly snapshotDirectoryAccess?: boolean;
  readonly directoryLease?: boolean;
  readonly paidBursting?: { readonly iops?: number; readonly mibps?: number; readonly isEnabled: boolean };
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
  readonly lease?: StoredLease;
  /** The epoch of the newest snapshot; absent when there is none. */
  readonly epoch?: Revision;
  readonly snapshots?: number;
  /** SMB clients may have files open: REST calls check the handles first. */
  readonly isOpened?: boolean;
  readonly deleted?: { readonly at: Instant; readonly until: Instant };
}

export const shareRecord = recordType<ShareRecord>("share", 1);

export interface SnapshotRecord {
  /** The epoch of the contents. */
  readonly epoch: Revision;
  readonly revision: Revision;
  readonly settings: ShareSettings;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly lease?: StoredLease;
}

export const snapshotRecord = recordType<SnapshotRecord>("shareSnapshot", 1);

export const usageRecord = recordType<{ readonly bytes: number }>("shareUsage", 1);

export const permissionRecord = recordType<{ readonly sddl: string }>("filePermission", 1);

export type GarbageRecord =
  /** Everything of a share. */
  | { readonly what: "share"; readonly share: bigint }
  /** The content of a file, which snapshots up to `epoch` may still see. */
  | { readonly what: "content"; readonly share: bigint; readonly content: bigint; readonly epoch: Revision }
  /** Versions kept for a snapshot that was deleted. */
  | { readonly what: "epoch"; readonly share: bigint; readonly epoch: Revision };

export const garbageRecord = recordType<GarbageRecord>("fileGarbage", 1);

export const purgeRecord = recordType<{ readonly account: string; readonly name: string }>("sharePurge", 1);

export const openedShareRecord = recordType<{ readonly account: string; readonly name: string }>(
  "openedShare",
  1,
);

export interface LockRecord {
  readonly offset: bigint;
  readonly length: bigint;
  readonly isExclusive: boolean;
}

export const locksRecord = recordType<{ readonly locks: readonly LockRecord[] }>("fileLocks", 1);

export const deletePendingRecord = recordType<{ readonly by: bigint }>("fileDeletePending", 1);

/** A REST call or a write by handle in flight. A write by handle includes its owner and range. */
export interface AccessRecord {
  readonly access: number;
  readonly share: number;
  readonly owner?: string;
  readonly offset?: bigint;
  readonly length?: bigint;
}

export const restAccessRecord = recordType<AccessRecord>("restAccess", 1);

export const pendingLockRecord = recordType<{ readonly owner: string }>("lockWish", 1);

/** A process that serves SMB clients is alive, and its ephemeral records are valid. */
export const livenessRecord = recordType<{ readonly since: Instant }>("smbPresence", 1);

/** A request to the process `owner`. The conflicts are those of src/concurrency/cache-lease.ts. */
export const cacheBreakRecord = recordType<{
  readonly owner: string;
  readonly conflict: "open" | "overwrite" | "sharing" | "write" | "remove";
}>("cacheBreak", 1);
