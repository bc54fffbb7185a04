import { mappedRecord, recordType } from "./record.ts";

/** The destination of a copy. */
export interface BlobCopyTarget {
  readonly container: bigint;
  readonly blob: string;
}

export interface FileCopyTarget {
  readonly account: string;
  readonly share: string;
  /** The incarnation of the share, and the file in it. */
  readonly shareId: bigint;
  readonly inode: bigint;
}

/** `owner` is the process that performs the copy. */
export interface PendingCopyRecord<Target> {
  readonly owner: string;
  readonly target: Target;
}

export const pendingBlobCopy = recordType<PendingCopyRecord<BlobCopyTarget>>("pendingBlobCopy", 1);

type StoredTarget = Omit<FileCopyTarget, "inode"> & { readonly node: bigint };

export const pendingFileCopy = mappedRecord(
  recordType<PendingCopyRecord<StoredTarget>>("pendingFileCopy", 1),
  ({ owner, target: { inode, ...target } }: PendingCopyRecord<FileCopyTarget>) => ({
    owner,
    target: { ...target, node: inode },
  }),
  ({ owner, target: { node: inode, ...target } }) => ({ owner, target: { ...target, inode } }),
);
