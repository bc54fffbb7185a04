import { recordType } from "./record.ts";

/** Where a copy goes. */
export interface BlobCopyTarget {
  readonly container: bigint;
  readonly blob: string;
}

export interface FileCopyTarget {
  readonly account: string;
  readonly share: string;
  /** The incarnation of the share, and the file in it. */
  readonly shareId: bigint;
  readonly node: bigint;
}

/** `owner` is the process that carries the copy out. */
export interface PendingCopyRecord<Target extends BlobCopyTarget | FileCopyTarget> {
  readonly owner: string;
  readonly target: Target;
}

export const pendingBlobCopy = recordType<PendingCopyRecord<BlobCopyTarget>>("pendingBlobCopy", 1);
export const pendingFileCopy = recordType<PendingCopyRecord<FileCopyTarget>>("pendingFileCopy", 1);
