import { KIB, MIB, TIB } from "../../base/limits.ts";

const DAY_MILLIS = 24 * 60 * 60_000;

/** What the Blob service takes, by name and with its unit. */
export const BLOB_LIMITS = {
  containerNameCharsMin: 3,
  containerNameCharsMax: 63,
  blobNameCharsMax: 1_024,
  blobNameSegmentsMax: 254,
  putBlobBytesMax: 5_000 * MIB,
  putBlockBytesMax: 4_000 * MIB,
  appendBlockBytesMax: 100 * MIB,
  appendBlockBytesMaxBefore2022: 4 * MIB,
  appendBlocksMax: 50_000,
  /** An appended block up to this size lies in its own record; longer ones in extents. */
  inlineAppendBytesMax: 2 * KIB,
  pageWriteBytesMax: 4 * MIB,
  pageBlobBytesMax: 8 * TIB,
  pageBytes: 512,
  /** A key of a page blob's map covers this much of it. */
  segmentBytes: 512 * KIB,
  /** Ranges of one segment that are too many; from there it is put together in the background. */
  segmentRangesMax: 64,
  /** Bytes of slices a segment may name and not use. */
  segmentWasteBytesMax: 512 * KIB,
  defragmentSegmentsPerStep: 8,
  pageRangesMax: 10_000,
  /** Slices that are opened together when pages are read. */
  pageSlicesPerOpen: 64,
  /** Zeros are sent from one buffer, again and again. */
  zeroBytes: 64 * KIB,
  blockIdBytesMax: 64,
  committedBlocksMax: 50_000,
  uncommittedBlocksMax: 100_000,
  /** 50,000 entries of <Uncommitted> with the longest ids, and their white space. */
  blockListBytesMax: 8 * MIB,
  /** A staged block up to this size waits in its own record; longer ones in extents. */
  inlineBlockBytesMax: 256,
  /** Blocks kept at one key of a content. */
  blocksPerPage: 128,
  /** A longer list is made ready a page at a time, and committed when it is; see services/blob/prepare-blocks.ts. */
  blocksAtOnceMax: 256,
  /** Long lists that are made ready at the same time: each may hold the blocks of the blob as it was. */
  listsPreparedMax: 2,
  /** Between two pages of a long list, so that others are served. */
  listRestMillis: 1,
  /** A longer map of a page blob is copied before the write that needs it; see services/blob/own-pages.ts. */
  segmentsCopiedAtOnceMax: 64,
  rangesCopiedPerStep: 64,
  /** What Get Block List reads in one step: pages of committed blocks, and uncommitted blocks. */
  listedPagesPerStep: 16,
  listedBlocksPerStep: 256,
  /** How often a long list begins again when its blob changes meanwhile; after that all others wait for it. */
  listAttemptsMax: 3,
  /** A list made ready and not committed by then was left by a process that died. */
  preparedListMillis: 60 * 60_000,
  /** Slices named in a blob's own record; a content of its own beyond that. */
  slicesInRecordMax: 128,
  uncommittedBlockMillis: 7 * DAY_MILLIS,
  syncCopyBytesMax: 256 * MIB,
  copySourceCharsMax: 2 * KIB,
  copyMillisMax: 14 * DAY_MILLIS,
  /** What a copy from another server may be: the longest blob of 50,000 blocks. */
  copyFromElsewhereBytesMax: 50_000 * 4_000 * MIB,
  /** A copy from elsewhere up to this length is done before it is answered; a longer one goes on by itself. */
  copyAtOnceBytesMax: 4 * MIB,
  tagsMax: 10,
  tagKeyCharsMax: 128,
  tagValueCharsMax: 256,
  tagsHeaderCharsMax: 2 * KIB,
  tagsBodyBytesMax: 64 * KIB,
  aclBodyBytesMax: 64 * KIB,
  keyInfoBodyBytesMax: 4 * KIB,
  /** Records a listing looks at for one page before it gives a short one. */
  listScanMax: 20_000,
  /** Rehydration takes hours on Azure; here a client that polls sees both states. */
  rehydrateMillis: 1_000,
  /** Chores: how often, and how much in one step. */
  jobMillis: 1_000,
  dueJobMillis: 30_000,
  reclaimRecordsPerStep: 200,
  reclaimPagesPerStep: 2,
  dueRecordsPerStep: 100,
  /** How often a blob is looked at that a policy or a hold keeps beyond its expiry. */
  heldExpiryMillis: 60 * 60_000,
  /** Guarded states of blobs that one transaction releases. */
  releasedStatesPerStep: 100,
  encryptionScopeCharsMax: 63,
  expiryMillisMax: 100 * 365 * DAY_MILLIS,
} as const;
