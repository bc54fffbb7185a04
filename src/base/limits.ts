/** Every queue, batch, header and loop has its maximum here, by name and with its unit. */
export const KIB = 1_024;
export const MIB = 1_024 * KIB;
export const GIB = 1_024 * MIB;

export const LIMITS = {
  // HTTP front end
  headerBytesMax: 32 * KIB,
  headerCountMax: 256,
  targetBytesMax: 16 * KIB,
  clientRequestIdCharsMax: 1_024,
  xmlBytesMax: 8 * MIB,
  xmlDepthMax: 16,
  xmlNodesMax: 200_000,
  servicePropertiesBytesMax: 64 * KIB,
  headersTimeoutMillis: 30_000,
  bodyIdleMillis: 60_000,
  keepAliveMillis: 65_000,
  connectionsMax: 10_000,
  shutdownMillis: 30_000,
  clockSkewMillis: 15 * 60_000,
  storedPoliciesMax: 5,
  storedPolicyIdCharsMax: 64,
  corsRulesMax: 5,
  corsRulesBytesMax: 2 * KIB,
  metadataBytesMax: 8 * KIB,

  // Store
  /** Longest key an engine sees: LMDB carries 1,978 bytes on 4 KiB pages, PostgreSQL 2,704 in an index row. */
  engineKeyBytesMax: 1_900,
  /** Longest key a service may use: two names of 3,072 bytes each, escaped, and their prefixes. */
  keyBytesMax: 16 * KIB,
  valueBytesMax: 16 * MIB,
  batchTransactionsMax: 1_024,
  batchBytesMax: 8 * MIB,
  queuedTransactionsMax: 100_000,
  rangePageEntries: 256,
  slowTransactionMillis: 250,

  // Extents
  inlineBytesMax: 8 * KIB,
  chunkBytes: 64 * KIB,
  pieceBytes: 4 * MIB,
  extentBytesMax: 64 * MIB,

  // Wire forms
  xmlAttributesMax: 64,
  xmlAttributeCharsMax: 4 * KIB,
  retentionDaysMax: 365,
  staticDocumentCharsMax: 1_024,
  corsOriginsMax: 64,
  corsHeadersMax: 64,
  corsHeaderPrefixesMax: 2,
  corsItemCharsMax: 256,
  corsMaxAgeSecondsMax: 2_147_483_647,
  /** A range whose MD5 or CRC64 a client may ask for along with it. */
  rangeDigestBytesMax: 4 * MIB,
  structuredSegmentBytes: 4 * MIB,
  structuredSegmentsMax: 65_535,
  listResultsMax: 5_000,
  markerCharsMax: 16 * KIB,
  timeoutSecondsMax: 30,
  boundaryCharsMax: 70,
  multipartBytesMax: 4 * MIB,
  blobBatchRequestsMax: 256,
  tableBatchRequestsMax: 100,
} as const;
