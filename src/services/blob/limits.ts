import { KIB, MIB, TIB } from "../../base/limits.ts";

const DAY_MILLIS = 24 * 60 * 60_000;

/** The limits of the Blob service. */
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
  /** An appended block up to this size is stored in its record, a longer one in extents. */
  inlineAppendBytesMax: 2 * KIB,
  pageWriteBytesMax: 4 * MIB,
  pageBlobBytesMax: 8 * TIB,
  pageBytes: 512,
  /** How much of a page blob one record of its map covers. */
  segmentBytes: 512 * KIB,
  /** A segment with more ranges is defragmented in the background. */
  segmentRangesMax: 64,
  /** Unused bytes in the slices of a segment; above this it is defragmented. */
  segmentWasteBytesMax: 512 * KIB,
  defragmentSegmentsPerStep: 8,
  pageRangesMax: 10_000,
  /** Slices opened together when pages are read. */
  pageSlicesPerOpen: 64,
  /** The size of the buffer that all zeros are sent from. */
  zeroBytes: 64 * KIB,
  blockIdBytesMax: 64,
  committedBlocksMax: 50_000,
  uncommittedBlocksMax: 100_000,
  /** 50,000 entries of <Uncommitted> with the longest ids, and their white space. */
  blockListBytesMax: 8 * MIB,
  /** An uncommitted block up to this size is stored in its record, a longer one in extents. */
  inlineBlockBytesMax: 256,
  /** Committed blocks in one record. */
  blocksPerPage: 128,
  /** A longer list is prepared a page at a time and then committed; see prepare-block-list.ts. */
  blocksAtOnceMax: 256,
  /** Long lists prepared at the same time; each may hold all committed blocks of its blob in memory. */
  listsPreparedMax: 2,
  /** The pause between two pages of a long list, in which other requests are served. */
  listRestMillis: 1,
  /** A longer map of a page blob is copied before the write that needs it; see copy-page-map.ts. */
  segmentsCopiedAtOnceMax: 64,
  rangesCopiedPerStep: 64,
  /** What Get Block List reads in one step: pages of committed blocks, or uncommitted blocks. */
  listedPagesPerStep: 16,
  listedBlocksPerStep: 256,
  /** How often a long list is started again when its blob changes; then it runs in one transaction. */
  listAttemptsMax: 3,
  /** A prepared list that is not committed by then belonged to a process that ended. */
  preparedListMillis: 60 * 60_000,
  uncommittedBlockMillis: 7 * DAY_MILLIS,
  syncCopyBytesMax: 256 * MIB,
  copySourceCharsMax: 2 * KIB,
  copyMillisMax: 14 * DAY_MILLIS,
  /** The longest source on another server: a blob of 50,000 blocks. */
  externalCopyBytesMax: 50_000 * 4_000 * MIB,
  /** A copy from another server up to this length completes before the reply; a longer one stays pending. */
  copyAtOnceBytesMax: 4 * MIB,
  tagsMax: 10,
  tagKeyCharsMax: 128,
  tagValueCharsMax: 256,
  tagsHeaderCharsMax: 2 * KIB,
  tagsBodyBytesMax: 64 * KIB,
  aclBodyBytesMax: 64 * KIB,
  keyInfoBodyBytesMax: 4 * KIB,
  /** Hidden records a listing reads for one page before it returns a short one. */
  listScanMax: 20_000,
  /** Rehydration takes hours on Azure; here it takes long enough for a polling client to see both states. */
  rehydrateMillis: 1_000,
  /** Background jobs: how often they run, and how much one step does. */
  jobMillis: 1_000,
  dueJobMillis: 30_000,
  reclaimRecordsPerStep: 200,
  reclaimPagesPerStep: 2,
  dueRecordsPerStep: 100,
  /** How often the expiry of a blob under a policy or a hold is tried again. */
  protectedExpiryMillis: 60 * 60_000,
  /** Protected states of blobs that the operator's command reads in one transaction. */
  releasedStatesPerStep: 100,
  encryptionScopeCharsMax: 63,
  expiryMillisMax: 100 * 365 * DAY_MILLIS,
} as const;
