import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { StoredLease } from "../../base/stored-lease.ts";
import type { StoredSlice } from "./blob-pages.ts";
import type { PolicyRecord } from "./policy.ts";
import { recordType } from "./record.ts";

export { type PageRangeEntry, type StoredSlice, segmentRecord } from "./blob-pages.ts";

/** The records of the Blob service. Fields that do not apply are omitted. */

export interface ContainerRecord {
  /** The incarnation: what the container holds is keyed by it. */
  readonly id: bigint;
  /** ETag and Last-Modified. */
  readonly revision: Revision;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly publicAccess?: "blob" | "container";
  readonly policies?: readonly PolicyRecord[];
  readonly lease?: StoredLease;
  readonly encryptionScope?: { readonly name: string; readonly isEnforced: boolean };
  /** Its blobs may be put under immutability policies and legal holds. */
  readonly hasVersionLevelImmutability?: true;
  /** Of a soft-deleted container ("bd" keys): when it was deleted, and until when it can be restored. */
  readonly deleted?: { readonly at: Instant; readonly until: Instant };
}

export const containerRecord = recordType<ContainerRecord>("blobContainer", 1);

export type BlobKind = "block" | "append" | "page";

/**
 * Where the bytes are.
 *
 *   inline   in this record: small blobs, one read and one commit
 *   slices   in extents, named here; each slice named counts one reference
 *   blocks   a content of its own: "bl" pages of blocks (name, length, bytes) by offset, with one count of
 *            references for the whole ("bo"), so that a snapshot of 50,000 blocks costs one increment.
 *            A content only ever grows at its end, and each record reads no further than its own length.
 *   pages    a page blob's map of ranges ("br") as it was in one epoch, counted in the same way
 */
export type BlobContent =
  | { readonly inline: Buffer }
  | { readonly slices: readonly StoredSlice[] }
  | { readonly blocks: bigint }
  | { readonly pages: bigint; readonly epoch: bigint };

/** The headers a blob is served with. */
export interface BlobHttpHeaders {
  /** Absent: the default. Empty: it was cleared. */
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
  /** Base64, as declared or computed. */
  readonly contentMd5?: string;
  readonly contentDisposition?: string;
  readonly cacheControl?: string;
}

/** Why an earlier state of a blob exists: a soft-deleted base blob is one too. */
export type BlobStateKind = "snapshot" | "version" | "base";

export interface CopyRecord {
  readonly id: string;
  readonly source: string;
  readonly status: "pending" | "success" | "aborted" | "failed";
  readonly description?: string;
  readonly bytesCopied: number;
  readonly bytesTotal: number;
  readonly completedAt?: Instant;
  /** Of an incremental copy. */
  readonly isIncremental?: boolean;
  readonly destinationSnapshot?: Revision;
}

export interface BlobRecord {
  /** The incarnation: new with each creation of the name. */
  readonly id: bigint;
  readonly kind: BlobKind;
  /** ETag and Last-Modified. */
  readonly revision: Revision;
  readonly created: Revision;
  /** Its version id while versioning is on. */
  readonly version?: Revision;
  readonly length: number;
  readonly content: BlobContent;
  readonly http: BlobHttpHeaders;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  readonly lease?: StoredLease;
  /** As set explicitly; without it the account's default is inferred. */
  readonly tier?: string;
  readonly tierChangedAt?: Instant;
  /** Rehydration from the archive tier. */
  readonly rehydrate?: {
    readonly to: string;
    readonly priority: "Standard" | "High";
    readonly doneAt: Instant;
  };
  readonly copy?: CopyRecord;
  /** Base64 SHA-256 of the customer's key; the key itself is never stored. */
  readonly keySha256?: string;
  readonly encryptionScope?: string;
  readonly immutability?: { readonly until: Instant; readonly mode: "unlocked" | "locked" };
  readonly hasLegalHold?: true;
  readonly expiresAt?: Instant;
  /** Its uncommitted blocks, when there are any. */
  readonly staging?: bigint;
  /** Only uncommitted blocks so far: the blob exists only for Put Block, Put Block List and leases. */
  readonly isUncommitted?: true;
  /** Of a block blob made from blocks: how many, and the length of their ids. */
  readonly blockCount?: number;
  readonly blockIdBytes?: number;
  /** Of an append blob: Append Block operations so far; a sealed one accepts no more. */
  readonly appendCount?: number;
  readonly isSealed?: true;
  /** Of a page blob. */
  readonly sequenceNumber?: bigint;
  /** Of a "bp" record: why it exists. */
  readonly stateKind?: BlobStateKind;
  /** Of a soft-deleted state: when it was deleted, and until when it can be restored. */
  readonly deleted?: { readonly at: Instant; readonly until: Instant };
}

/** How many records reference a content; for a page blob, also the newest epoch of its map. */
export interface ContentRecord {
  readonly refs: number;
  readonly head?: bigint;
  /** The maps it was copied from, with the epoch: up to there it shares their history. */
  readonly origins?: readonly { readonly pages: bigint; readonly epoch: bigint }[];
}

export const contentRecord = recordType<ContentRecord>("blobContent", 1);

export const epochRecord = recordType<{ readonly holders: number }>("blobEpoch", 1);

/** A segment with too many ranges. */
export interface FragmentedSegment {
  readonly content: bigint;
  readonly segment: number;
  readonly epoch: bigint;
}

export const fragmentedSegmentRecord = recordType<FragmentedSegment>("blobPieced", 1);

export interface BlockEntry {
  /** Base64, as the client sent it. */
  readonly id: string;
  readonly length: number;
  readonly bytes: { readonly inline: Buffer } | { readonly slices: readonly StoredSlice[] };
}

/** Consecutive blocks of a content. Keyed by the offset of the first one. */
export const blockPageRecord = recordType<{ readonly blocks: readonly BlockEntry[] }>("blobBlocks", 1);

export interface StagingRecord {
  readonly container: bigint;
  readonly blob: string;
  readonly count: number;
  readonly blockIdBytes: number;
  readonly lastAt: Instant;
  /** Of the customer's key that all blocks were written with. */
  readonly keySha256?: string;
  /** Counts Put Block: with the staging's id it names one state of the uncommitted blocks. */
  readonly changes?: number;
}

export const stagingRecord = recordType<StagingRecord>("blobStaging", 1);

export const stagedBlockRecord = recordType<Omit<BlockEntry, "id">>("blobStagedBlock", 1);

/** Work for the reclaimer, done in bounded steps. */
export type GarbageRecord =
  | { readonly what: "container"; readonly id: bigint; readonly account: string }
  | { readonly what: "content"; readonly id: bigint; readonly form: "blocks" | "pages" }
  | { readonly what: "epoch"; readonly id: bigint; readonly epoch: bigint; readonly from: number }
  | { readonly what: "staging"; readonly id: bigint };

export const garbageRecord = recordType<GarbageRecord>("blobGarbage", 1);

/** An entry of the tag index: the container's name at that time, to compare with the current one. */
export const tagRecord = recordType<{ readonly container: string }>("blobTag", 1);

/** An object to check at a time: it may have changed since the record was written. */
export type DueRecord =
  | { readonly what: "staging"; readonly id: bigint }
  /** Blocks prepared for a block list, or a map of pages (in an epoch): the commit deletes this record. */
  | { readonly what: "prepared"; readonly id: bigint; readonly epoch?: bigint }
  | { readonly what: "past"; readonly container: bigint; readonly blob: string; readonly revision: Revision }
  | {
      readonly what: "container";
      readonly account: string;
      readonly container: string;
      readonly deletion: Revision;
    }
  | { readonly what: "rehydrate"; readonly container: bigint; readonly blob: string }
  | {
      readonly what: "expiry";
      readonly account: string;
      readonly container: bigint;
      readonly blob: string;
    }
  | { readonly what: "copy"; readonly container: bigint; readonly blob: string; readonly copyId: string };

export const dueRecord = recordType<DueRecord>("blobDue", 1);
