/** Every queue, batch, header and loop has its maximum here, by name and with its unit. */
export const KIB = 1_024;
export const MIB = 1_024 * KIB;
export const GIB = 1_024 * MIB;
export const TIB = 1_024 * GIB;

export const LIMITS = {
  leaseSecondsMin: 15,
  leaseSecondsMax: 60,
  breakSecondsMax: 60,
  /** How often a job looks for copies whose process is gone, and how many it ends in one transaction. */
  copiesJobMillis: 5_000,
  copiesPerStep: 100,
  /** How long a deleted name stays in use with --strict, and how many a job frees in one transaction. */
  deletionMillis: 30_000,
  namesFreedPerStep: 1_000,
  // HTTP front end
  headerBytesMax: 32 * KIB,
  headerCountMax: 256,
  targetBytesMax: 16 * KIB,
  clientRequestIdCharsMax: 1_024,
  xmlDepthMax: 16,
  /** Elements, attributes and references: 50,000 blocks, or a message of 64 KiB of references. */
  xmlTokensMax: 70_000,
  servicePropertiesBytesMax: 64 * KIB,
  headersTimeoutMillis: 30_000,
  bodyIdleMillis: 60_000,
  /** The same for a client that has closed its half of the connection and does not read the reply. */
  halfClosedIdleMillis: 10_000,
  keepAliveMillisMax: 24 * 60 * 60_000,
  /** The server closes a connection whose body brings less than this in that time. */
  slowBodyBytesMin: 8 * KIB,
  slowBodyMillis: 30_000,
  keepAliveMillis: 65_000,
  connectionsMax: 10_000,
  /** From accepting a connection to the end of its TLS handshake. */
  handshakeMillis: 30_000,
  adminConnectionsMax: 128,
  /** How long the commands `health` and `reset` wait for the admin listener. */
  healthMillisMax: 5_000,
  resetMillisMax: 60_000,
  /** The list of extents that the caller of a backup has: about 400,000. */
  backupRequestBytesMax: 64 * MIB,
  /** The admin listener closes last, and its replies are short. */
  adminShutdownMillis: 1_000,
  /**
   * Descriptors that connections must leave free: 256 for open extents, 128 for the admin listener, 64 for
   * copy sources, and 64 for the store, logs and Node.js itself. With many descriptors it is a share of them,
   * because each connection may read its own file; with few, half.
   */
  descriptorsReserved: 512,
  descriptorsReservedShare: 1 / 4,
  /** Where the system does not report the maximum of descriptors. */
  descriptorsAssumed: 10_240,
  /** At most one log line in this time reports refused connections. */
  connectionReportMillis: 10_000,
  /** A thread computes the MD5 of bodies from this length on. */
  longDigestBytes: 1 * MIB,
  /** Bytes of one message to that thread, and of all unfinished messages; beyond it uploads wait. */
  digestPartBytesMax: 512 * KIB,
  digestWaitingBytesMax: 4 * MIB,
  /** How often the server checks connections for idle clients. */
  connectionSweepMillis: 1_000,
  /** How long the server discards the rest of a request after the last reply of a connection. */
  lingerMillis: 2_000,
  /** Bytes of a body that wait for the operation; beyond it the server stops reading the connection. */
  bodyWaitingBytesMax: 256 * KIB,
  /** Bytes read from one connection in a tick, so that the others are not delayed. */
  readBytesPerTick: 512 * KIB,
  /** Chunks of a body below the first size are collected up to the second before the operation gets them. */
  smallPartBytes: 2 * KIB,
  gatheredBodyBytes: 4 * KIB,
  /** That buffer starts small and doubles, because thousands of slow bodies may be open at once. */
  gatheredBodyBytesMin: 256,
  /** Buffers for fast bodies: used when the last read brought `fastChunkBytes` or more. */
  bodyBufferBytes: 256 * KIB,
  bodyBuffersMax: 128,
  fastChunkBytes: 32 * KIB,
  /** The same over TLS, where a read is one record of at most 16 KiB. */
  fastRecordBytes: 16 * KIB,
  /** Buffers that several bodies share for copied chunks, and the length from which they are used. */
  copyBufferBytes: 128 * KIB,
  pooledCopyBytesMin: 8 * KIB,
  /** Memory shared with WebAssembly and threads. The system never gets used pages back, so buffers of all
   * sizes share one range. */
  commonMemoryBytes: 64 * MIB,
  commonPartsBytesMax: 40 * MIB,
  /** Beyond this, free buffers of one size are evicted for those of another. */
  commonFreshBytesMax: 16 * MIB,
  /** The maximum of each buffer size. */
  commonBodyBytesMax: 40 * MIB,
  commonCopyBytesMax: 8 * MIB,
  commonChunkBytesMax: 8 * MIB,
  commonReadBytesMax: 24 * MIB,
  commonFrameBytesMax: 25 * MIB,
  /** Idle buffers outside of the shared memory: of payload, and of SMB messages, each over all sizes. */
  idlePayloadBytesMax: 8 * MIB,
  idleFrameBytesMax: 32 * MIB,
  /** Around the payload of the largest SMB message: headers, contexts, names, compounds. */
  frameOverheadBytes: 64 * KIB,
  /** Chunk extensions and trailers of one body, which the server ignores. */
  chunkExtrasBytesMax: 8 * KIB,
  /** How long in-flight requests may take after SIGTERM: the default and the maximum of the flag. */
  shutdownMillis: 30_000,
  shutdownSecondsMax: 3_600,
  /** After that, how long the store and the logs may take to close before the process ends without them. */
  shutdownLastMillis: 5_000,
  /** After both, how long the supervisor waits for workers before it kills them. */
  workersLastMillis: 2_000,
  /** From accepting a connection until a worker confirms it. */
  handoverMillis: 10_000,
  /** Rest of a refused body that the server discards to keep the connection open. */
  drainedBytesMax: 16 * MIB,
  /** Replies in the memory of the process that are being built or that clients have not read yet. */
  replyMemoryBytesMax: 64 * MIB,
  /** How long a request waits for that memory before it is refused as ServerBusy. */
  replyWaitMillis: 30_000,
  /** When that memory is used up, the server disconnects a client that reads nothing for this long. */
  stalledReplyMillis: 5_000,
  /** How often the server looks for stalled clients while requests wait. */
  stalledReplyLookMillis: 100,
  /** A printed page is encoded in chunks of at least this many characters. */
  printedChunkChars: 32 * KIB,
  /** Bytes of a long reply in flight before the client reads them. */
  replyPartBytes: 256 * KIB,
  /** Body of an operation without a body: some clients send `{}` or an empty form, which is ignored. */
  ignoredBodyBytesMax: 64 * KIB,
  /** A copy source on another server: timeouts for its name and for its headers. */
  sourceLookupMillis: 10_000,
  sourceHeadersMillis: 30_000,
  /** The minimum that a source must send in a period, and how often to check. */
  slowSourceBytesMin: 8 * KIB,
  slowSourceMillis: 30_000,
  sourceWatchMillis: 1_000,
  /** Concurrent name lookups: each uses one of the four threads of file I/O. */
  sourceLookupsMax: 2,
  /** Fetches while their clients wait, for a process and for one account. */
  sourceFetchesMax: 128,
  sourceFetchesPerAccountMax: 64,
  /** Fetches that continue after the reply, for a process and for one account. */
  copiesFromElsewhereMax: 64,
  copiesFromElsewherePerAccountMax: 32,
  /** How often such a copy checks whether it was aborted or overwritten. */
  copyCheckMillis: 1_000,
  /** How long a fetch beyond these waits before the reply is ServerBusy, and how many may wait. */
  sourceWaitMillis: 3_000,
  sourceWaitersMax: 1_024,
  /** At most one warning in this time about sources that --copySources does not allow. */
  refusedSourceLogMillis: 10_000,
  /** Of the error code of a copy source, which the reply repeats. */
  sourceErrorCodeCharsMax: 128,
  clockSkewMillis: 15 * 60_000,
  /** Names that `srh` and `srq` of a user delegation SAS may list. */
  signedRequestNamesMax: 64,
  /** Cache of verified tokens of one account. */
  provenTokensMax: 1_024,
  /** Cache of token fields as they were sent, and the maximum length of one. */
  seenPairsMax: 1_024,
  seenPairBytesMax: 128,
  /** How far from now a user delegation key may start or end. */
  delegationKeyMillisMax: 7 * 24 * 60 * 60_000,
  keyInfoBytesMax: 4 * KIB,
  storedPoliciesMax: 5,
  storedPolicyIdCharsMax: 64,
  corsRulesMax: 5,
  corsRulesBytesMax: 2 * KIB,
  metadataBytesMax: 8 * KIB,

  // Store
  /** Longest key of an engine: LMDB allows 1,978 bytes on 4 KiB pages, PostgreSQL 2,704 in an index row. */
  engineKeyBytesMax: 1_900,
  /** Longest key a service may use: two names of 3,072 bytes each, escaped, and their prefixes. */
  keyBytesMax: 16 * KIB,
  valueBytesMax: 16 * MIB,
  /** Cache of small records that transactions read often. */
  cachedValuesMax: 256,
  cachedValueBytesMax: 512,
  batchTransactionsMax: 1_024,
  batchBytesMax: 8 * MIB,
  /** This many transactions are committed while others still run. */
  halfBatchMin: 24,
  /** How long an answered transaction waits for the client's next one, to be committed with it. */
  asyncCommitMillis: 2,
  /** Busy polling starts when messages come within the gap, and lasts this long after the last one. */
  busyPollGapMillis: 2,
  busyPollMillis: 1,
  busyPollBytesMax: 64 * KIB,
  /** Slabs for values that wait for their commit. */
  slabBytes: 64 * KIB,
  /** The journal's write buffer; a longer commit gets its own. */
  journalDraftBytes: 256 * KIB,
  /** Commits in the journal that are not checkpointed; beyond it the next commit waits. */
  journaledBytesMax: 8 * MIB,
  /** A checkpoint starts after this time, or with this many writes or bytes. */
  checkpointMillis: 50,
  checkpointWritesMin: 2_048,
  checkpointBytesMin: MIB,
  stuckRetryMillis: 100,
  queuedTransactionsMax: 100_000,
  rangePageEntries: 256,
  /** With less free space than this, a short write counts as a full disk. */
  fullDiskBytesMax: MIB,
  /** Free space that a commit must leave: LMDB must not meet a full disk (decision 0010). */
  recordsReserveBytes: 2 * MIB,
  /** More free space than a disk can lose between two checks, and the time between them. */
  plentyOfSpaceBytes: 2 * GIB,
  plentyOfSpaceMillis: 50,
  /** Free space that payload leaves for records, so that deleting still works on a full disk. */
  payloadReserveBytes: 6 * MIB,
  /** Concurrent reads of all processes that share an embedded store. */
  snapshotsMax: 16_384,

  // PostgreSQL engine
  /**
   * Timeouts of the database server for a statement, a lock, and an idle transaction. The server cancels a
   * statement before the connection counts as silent, so that the outcome is certain.
   */
  statementMillis: 7_000,
  lockMillis: 5_000,
  idleInTransactionMillis: 60_000,
  /** The same for clean-up statements and for creating the tables. */
  longStatementMillis: 30_000,
  schemaMillis: 60_000,
  databaseKeepAliveMillis: 10_000,
  /** A connection that owes an answer and is silent for this long counts as lost; how often to check. */
  databaseSilenceMillis: 8_000,
  databaseWatchMillis: 500,
  /** Sent bytes at this rate are not silence, as long as other connections are answered. */
  databaseBytesPerSecondMin: 256 * KIB,
  /** How long a request waits for an unreachable database, how often to check, and how often to retry. */
  databasePatienceMillis: 15_000,
  databaseLateMillis: 250,
  databaseRetryMillis: 100,
  /** Without an answer for this long, the server reports that it is not ready. */
  databaseReadyMillis: 3_000,
  /** How soon the log reports an unreachable database, and how often it repeats that. */
  databaseFirstReportMillis: 2_000,
  databaseReportMillis: 5_000,
  /** How long a connection that is closed waits for the other side to close it too. */
  databaseGoodbyeMillis: 1_000,
  /** Retries of a batch that conflicts with another member's, with delays that grow from min to max. */
  conflictTriesMax: 64,
  conflictDelayMin: 0.5,
  conflictDelayMax: 100,
  /** A member without a heartbeat during this many of another member's is dead: about 3 s. */
  heartbeatMillis: 600,
  missedBeatsMax: 4,
  /** How far ahead a member may make revisions before its next heartbeat records them. */
  reservedRevisionsMillis: 5_000,
  /** Payload of one row and of one INSERT, and rows that one DELETE removes. */
  chunkRowBytes: 256 * KIB,
  chunkWriteBytes: 4 * MIB,
  chunksRemovedAtOnce: 64,
  /** One transaction of a migration. */
  migrationBatchRecords: 1_000,
  migrationBatchBytes: 4 * MIB,
  /** Azurite's files: one read, one record (a blob of 50,000 blocks has 15 MiB), bodies read in parallel. */
  azuriteReadBytes: 1 * MIB,
  azuriteRecordBytesMax: 256 * MIB,
  azuriteBodiesMax: 32,
  /** Bodies that snapshots and copies may share with the blob they came from. */
  azuriteSharedBodiesMax: 20_000,
  /** How long a command waits for the row of a stopped member to disappear. */
  aloneMillisMax: 10_000,
  /** Record cache of a member, and the maximum length of a record. */
  cachedRecordsMax: 10_000,
  cachedRecordBytesMax: 512,
  /** Unsent messages to other members; more are dropped, which is allowed. */
  announcementsWaitingMax: 10_000,
  /** Old operation IDs are deleted every this many heartbeats. */
  outcomeSweepBeats: 400,

  // Extents
  inlineBytesMax: 8 * KIB,
  chunkBytes: 64 * KIB,
  /** One write of an append: small enough that the disk works while the rest of a body arrives. */
  writeBufferBytes: 1 * MIB,
  /** Space that an append reserves at once, in writes, and how many appends may do so concurrently. */
  writeBuffersReservedMax: 4,
  reservingAppendsMax: 64,
  extentBytesMax: 64 * MIB,
  /** With this share of an extent left, the next one is created: filling it takes 20 ms, two syncs 2. */
  nextExtentShare: 1 / 4,
  /** Concurrent writes of one append. */
  writeBuffersInFlightMax: 2,
  /** Payload of all appends in memory. With many slow clients, writes get smaller. */
  appendMemoryBytes: 256 * MIB,
  /** With more concurrent appends, an append does not wait for a whole chunk. */
  patientAppendsMax: 256,
  /** The minimum it then writes, and the maximum of slices. */
  earlyWriteBytes: 8 * KIB,
  earlySlicesMax: 64,
  /** Chunks of a source below this are copied together: a client that sends single bytes must not cost a
   * list of them. */
  gatheredPartBytes: 4 * KIB,
  /** Frames up to this size that come during a write are combined into the next write. */
  gatheredWriteBytesMax: 64 * KIB,
  /** The maximum of such a write, in bytes and in buffers: systems allow 1,024 or more. */
  gatheredWritesBytesMax: MIB,
  writePartsMax: 512,
  /** Written bytes that start an early sync, so that the disk works while the client sends. */
  unsyncedBytesMax: 4 * MIB,
  /** One read from the disk, and how many of them run before the consumer needs them. */
  extentReadBytes: 1 * MIB,
  extentReadAheadMax: 2,
  /** Payload read for all consumers but not consumed. Beyond it each gets one chunk at a time. */
  readMemoryBytes: 24 * MIB,
  /** Idle descriptors of extents that stay open. */
  extentFilesIdleMax: 256,
  /** Descriptors one reader holds from its start. */
  extentsPinnedPerReader: 8,
  /** Headers of extents checked concurrently when a directory is opened. */
  recoveryChecksAtOnce: 16,

  // Reclaiming of extents
  reclaimIntervalMillis: 1_000,
  /** How long after a slice was freed the reclaimer looks for empty extents. */
  reclaimWakeupMillis: 50,
  /** How long after its wake-up a background job runs, so that it does the work of many at once. */
  jobWakeupMillis: 20,
  /** Extents checked in one step. */
  reclaimExtentsPerStep: 256,
  /** Payload moved in one step, and steps made before the next tick of the timer. */
  compactionBytesPerStep: 64 * MIB,
  reclaimStepsPerTick: 4,
  /** Slices moved by one transaction, and their bytes: a longer one would delay other writers. */
  compactionBatchSlices: 64,
  compactionBatchBytes: 8 * MIB,
  /** A sealed extent is compacted when less than this share of it is alive. */
  liveShareMin: 0.5,
  /** Sealed below this share of the full size, an extent is small; this many small ones are merged. */
  smallExtentShare: 0.25,
  smallExtentsMin: 8,

  // Accounts, logs, metrics, processes
  workersMax: 64,
  /** How often a worker sends its heartbeat, and the silence after which it is not ready. */
  workerBeatMillis: 1_000,
  workerLateMillis: 3_000,
  /** The silence after which a worker is killed: longer than any garbage collection or scheduling delay. */
  workerSilenceMillis: 10_000,
  /** The same while it starts: it loads the program and opens the store first. */
  workerStartMillis: 60_000,
  /** The old generation beyond which the heap grows slowly, a semi-space, and how often to check. */
  heapOldBytes: 40 * MIB,
  heapYoungBytes: 8 * MIB,
  heapWatchMillis: 100,
  accountsMax: 10_000,
  accountNameCharsMax: 64,
  accountKeyBytesMax: 1 * KIB,
  accountsFileBytesMax: 4 * MIB,
  accountsPollMillis: 2_000,
  certificateBytesMax: 1 * MIB,
  /** How often and how long the first of several starts waits for the later ones to give up. */
  lockRoundsMax: 150,
  lockRoundMillis: 20,
  /** The access log writes its lines when it has this many bytes or after this time. */
  accessLogBufferBytes: 64 * KIB,
  accessLogFlushMillis: 1_000,
  /** Beyond this many unwritten characters, lines are dropped. */
  logWaitingCharsMax: 16 * MIB,
  logRetryMillis: 20,
  /** How often redaction decodes a text again in search of a signature. */
  redactionDepthMax: 5,
  /** More than the rows of all operation tables: a caller would have invented names. */
  meteredOperationsMax: 1_024,
  // Wire formats
  xmlAttributesMax: 64,
  xmlAttributeCharsMax: 4 * KIB,
  retentionDaysMax: 365,
  staticDocumentCharsMax: 1_024,
  corsOriginsMax: 64,
  corsHeadersMax: 64,
  corsHeaderPrefixesMax: 2,
  corsItemCharsMax: 256,
  corsMaxAgeSecondsMax: 2_147_483_647,
  /** The maximum range with x-ms-range-get-content-md5 or -crc64. */
  rangeDigestBytesMax: 4 * MIB,
  structuredSegmentBytes: 4 * MIB,
  structuredSegmentsMax: 65_535,
  listResultsMax: 5_000,
  /** A page of a listing ends with the entry that reaches this size; 5,000 ordinary entries fit. */
  listPageBytesMax: 4 * MIB,
  markerCharsMax: 16 * KIB,
  timeoutSecondsMax: 30,
  boundaryCharsMax: 70,
  multipartBytesMax: 4 * MIB,
  blobBatchRequestsMax: 256,
  tableBatchRequestsMax: 100,
} as const;
