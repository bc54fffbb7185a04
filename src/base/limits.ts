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
  /** With no more room than this, a write that was cut short is laid to the full disk. */
  fullDiskBytesMax: MIB,
  /** Reads under way at one moment, in all processes that share an embedded store. */
  snapshotsMax: 16_384,
  slowTransactionMillis: 250,

  // Extents
  inlineBytesMax: 8 * KIB,
  chunkBytes: 64 * KIB,
  pieceBytes: 4 * MIB,
  extentBytesMax: 64 * MIB,
} as const;
