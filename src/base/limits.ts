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

  // Around the services: accounts, logs, metrics, tooling
  workersMax: 64,
  accountsMax: 10_000,
  accountNameCharsMax: 64,
  accountKeyBytesMax: 1 * KIB,
  accountsFileBytesMax: 4 * MIB,
  accountsPollMillis: 2_000,
  certificateBytesMax: 1 * MIB,
  /** Access-log lines wait in memory until this much is there or this long has passed. */
  accessLogBufferBytes: 64 * KIB,
  accessLogFlushMillis: 1_000,
  /** More than this unwritten, and lines are dropped: the disk is slower than the clients. */
  logWaitingCharsMax: 16 * MIB,
  logRetryMillis: 20,
  /** How often an encoded text is decoded again in search of a signature inside it. */
  redactionDepthMax: 5,
  /** Series kept for operations; more than the tables have rows means a caller invents names. */
  meteredOperationsMax: 1_024,
} as const;
