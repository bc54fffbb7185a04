import { KIB, MIB } from "../../base/limits.ts";

/** The Table service's own maxima; the first group is the protocol's, the second ours. */
export const TABLE_LIMITS = {
  nameCharsMin: 3,
  nameCharsMax: 63,
  /** 1 KiB in UTF-16. */
  keyCharsMax: 512,
  propertiesMax: 252,
  propertyNameCharsMax: 255,
  /** 64 KiB in UTF-16. */
  stringCharsMax: 32 * KIB,
  binaryBytesMax: 64 * KIB,
  entityBytesMax: 1 * MIB,
  bodyBytesMax: 4 * MIB,
  aclBytesMax: 64 * KIB,
  pageEntitiesMax: 1_000,

  /** What one query may look at before it hands out a continuation: it must not hold up other requests. */
  scannedEntitiesMax: 4_000,
  scannedBytesMax: 32 * MIB,
  scanMillisMax: 1_000,
  /** Entities fetched together while scanning (a page of the store at most), and what they may weigh. */
  scanChunkEntities: 256,
  scanChunkBytes: 4 * MIB,
  filterDepthMax: 64,
  filterComparisonsMax: 128,
  /** Key ranges one filter may be taken apart into; past that, one range around all of them. */
  filterRangesMax: 32,
  selectedPropertiesMax: 255,
  tokenCharsMax: 4 * KIB,
  errorQuoteCharsMax: 256,
  reclaimIntervalMillis: 1_000,
  reclaimedEntitiesPerStep: 500,
} as const;
