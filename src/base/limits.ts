/** Every queue, batch, header and loop has its maximum here, by name and with its unit. */
export const KIB = 1_024;
export const MIB = 1_024 * KIB;
export const GIB = 1_024 * MIB;
export const TIB = 1_024 * GIB;

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
  /** Pieces of one append being written while the next one is gathered. */
  piecesInFlightMax: 2,
  /** Payload of all appends between the clients and the disk. Many slow clients get smaller pieces. */
  appendMemoryBytes: 256 * MIB,
  /** Parts of a source below this are copied together: a client that sends single bytes must not cost a list of them. */
  gatheredPartBytes: 4 * KIB,
  /** Written bytes that start a sync before anybody waits for one, so that the disk works while the client sends. */
  unsyncedBytesMax: 16 * MIB,
  /** One read from the disk, and how many of them run ahead of the consumer. */
  extentReadBytes: 1 * MIB,
  extentReadsAheadMax: 2,
  /** Descriptors kept open although nobody reads through them. */
  extentFilesIdleMax: 256,
} as const;
