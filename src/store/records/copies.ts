import { recordType } from "./record.ts";

/** The destination of a copy. */
export interface BlobCopyTarget {
  readonly container: bigint;
  readonly blob: string;
}

export interface FileCopyTarget {
  readonly account: string;
  readonly share: string;
  /** The incarnation of the share, and the inode of the file, which is stored as `node`. */
  readonly shareId: bigint;
  readonly node: bigint;
}

/** `owner` is the process that performs the copy. */
export interface PendingCopyRecord<Target extends BlobCopyTarget | FileCopyTarget> {
  readonly owner: string;
  readonly target: Target;
}

export const pendingBlobCopy = recordType<PendingCopyRecord<BlobCopyTarget>>("pendingBlobCopy", 1);
export const pendingFileCopy = recordType<PendingCopyRecord<FileCopyTarget>>("pendingFileCopy", 1);
