/** Every queue, batch, header and loop has its maximum here, by name and with its unit. */
export const KIB = 1_024;
export const MIB = 1_024 * KIB;
export const GIB = 1_024 * MIB;
export const TIB = 1_024 * GIB;

export const LIMITS = {
  leaseSecondsMin: 15,
  leaseSecondsMax: 60,
  breakSecondsMax: 60,
  /** How often somebody looks for copies whose process is gone, and how many are ended in one transaction. */
  copiesJobMillis: 5_000,
  copiesPerStep: 100,
  // HTTP front end
  headerBytesMax: 32 * KIB,
  headerCountMax: 256,
  targetBytesMax: 16 * KIB,
  clientRequestIdCharsMax: 1_024,
  xmlDepthMax: 16,
  /**
   * Elements, attributes and references: 50,000 blocks, or a message of 64 KiB in which every byte is a
   * reference.
   */
  xmlNodesMax: 70_000,
  servicePropertiesBytesMax: 64 * KIB,
  headersTimeoutMillis: 30_000,
  bodyIdleMillis: 60_000,
  /** The same for a client that has closed its half of the connection and does not take the reply. */
  halfClosedIdleMillis: 10_000,
  keepAliveMillisMax: 24 * 60 * 60_000,
  /** A body that brings less than this in that time is not an upload: its connection is ended. */
  slowBodyBytesMin: 8 * KIB,
  slowBodyMillis: 30_000,
  keepAliveMillis: 65_000,
  connectionsMax: 10_000,
  /** From accepting a connection to the end of its TLS handshake. */
  handshakeMillis: 30_000,
  adminConnectionsMax: 128,
  /** The admin listener closes last, and its replies are short. */
  adminShutdownMillis: 1_000,
  /**
   * Descriptors that connections to the services leave: 256 extents that are kept open, 128 connections of
   * the admin listener, 64 sources of copies, and 64 for the store, logs and Node.js itself. With many
   * descriptors it is a share of them, because each connection may read a file of its own; with few of them,
   * half.
   */
  descriptorsReserved: 512,
  descriptorsReservedShare: 1 / 4,
  /** Where the system does not say how many descriptors a process may have. */
  descriptorsAssumed: 10_240,
  /** At most one line in this time says that connections are refused. */
  connectionReportMillis: 10_000,
  /** From this length on, the MD5 of a body is computed in a thread of its own. */
  longDigestBytes: 1 * MIB,
  /** Bytes on their way to that thread; past it uploads wait. Each body brings so much at a time. */
  digestPartBytesMax: 512 * KIB,
  digestWaitingBytesMax: 4 * MIB,
  /** How often connections are looked at for clients that stand still. */
  connectionSweepMillis: 1_000,
  /** How long the rest of a request is read away behind the last reply of a connection. */
  lingerMillis: 2_000,
  /** Bytes of a body that wait for the operation; past it the client is not read. */
  bodyWaitingBytesMax: 256 * KIB,
  /** What is read of one connection before the others have their turn. */
  readBytesPerTick: 512 * KIB,
  /** Parts of a body below this are put together before anybody is told of them, up to so many bytes. */
  smallPartBytes: 2 * KIB,
  gatheredBodyBytes: 4 * KIB,
  /** The memory for that starts with so little and doubles: thousands of bodies may crawl at once. */
  gatheredBodyBytesMin: 256,
  /** Memory that bodies are read into when the last read brought so much that more is to be expected. */
  bodyBufferBytes: 256 * KIB,
  bodyBuffersMax: 128,
  fastPieceBytes: 32 * KIB,
  /** The same over TLS, where a read is one record: the longest. */
  fastRecordBytes: 16 * KIB,
  /**
   * Memory that several bodies share, for what came of them elsewhere, and from which length on it is used.
   */
  copyBufferBytes: 128 * KIB,
  pooledCopyBytesMin: 8 * KIB,
  /**
   * Memory that WebAssembly and other threads see too. What was touched of it once stays: so all sizes of
   * rooms share one part.
   */
  commonMemoryBytes: 64 * MIB,
  commonPartsBytesMax: 40 * MIB,
  /** So much of it is used before free rooms of one size make way for those of another. */
  commonFreshBytesMax: 16 * MIB,
  /** What each size of rooms may have of that. */
  commonBodyBytesMax: 40 * MIB,
  commonCopyBytesMax: 8 * MIB,
  commonChunkBytesMax: 8 * MIB,
  commonReadBytesMax: 24 * MIB,
  /** Other memory that is kept for the next transfer, of all sizes. */
  idlePayloadBytesMax: 8 * MIB,
  /** Chunk extensions and trailers of one body, which mean nothing to any operation. */
  chunkExtrasBytesMax: 8 * KIB,
  /**
   * How long requests may take to finish after SIGTERM, unless a flag says otherwise, and the most it can
   * say.
   */
  shutdownMillis: 30_000,
  shutdownSecondsMax: 3_600,
  /** After that, how long the store and the logs may take to close before the process ends without them. */
  shutdownLastMillis: 5_000,
  /** After both, how long the supervisor waits for workers before it kills them. */
  workersLastMillis: 2_000,
  /** From accepting a connection to a worker's word that it has it. */
  handoverMillis: 10_000,
  /** Rest of a refused body that is read away to keep the connection. */
  drainedBytesMax: 16 * MIB,
  /**
   * Bytes of replies in memory, of the whole process, that are being made or that clients have not read yet.
   */
  replyMemoryBytesMax: 64 * MIB,
  /** How long a request waits for that memory before it is refused as ServerBusy. */
  replyWaitMillis: 30_000,
  /** With that memory used up, a client that reads nothing of its reply for so long is disconnected. */
  stalledReplyMillis: 5_000,
  /** How often stalled clients are looked for while requests wait. */
  stalledReplyLookMillis: 100,
  /** A printed page becomes bytes in chunks of at least so many characters. */
  printedChunkChars: 32 * KIB,
  /** What is written of a long reply before the client has read what was written earlier. */
  replyPartBytes: 256 * KIB,
  /**
   * Body of an operation that has none: some clients send `{}` or an empty form along, and it is not looked
   * at.
   */
  ignoredBodyBytesMax: 64 * KIB,
  /**
   * The source of a copy on another server: how long until its name is resolved and its headers are there.
   */
  sourceLookupMillis: 10_000,
  sourceHeadersMillis: 30_000,
  /**
   * How long a source may then be silent, and what it must bring in which time; how often that is looked at.
   */
  sourceIdleMillis: 60_000,
  slowSourceBytesMin: 8 * KIB,
  slowSourceMillis: 30_000,
  sourceWatchMillis: 1_000,
  /** Names being resolved: each takes one of the four threads that files are read and written by. */
  sourceLookupsMax: 2,
  /** Sources that are fetched while their clients wait, in a process and for one account. */
  sourceFetchesMax: 128,
  sourceFetchesPerAccountMax: 64,
  /** Sources of copies that go on after their requests were answered, in a process and for one account. */
  copiesFromElsewhereMax: 64,
  copiesFromElsewherePerAccountMax: 32,
  /** How often such a copy looks whether it was aborted or overwritten, and ends. */
  copyCheckMillis: 1_000,
  /** How long a fetch beyond these waits before the client hears ServerBusy, and how many may wait. */
  sourceWaitMillis: 3_000,
  sourceWaitersMax: 1_024,
  /** At most one warning in so long tells of sources that --copySources does not allow. */
  refusedSourceLogMillis: 10_000,
  /** Of the code that the source of a copy refused with, which is passed on. */
  sourceErrorCodeCharsMax: 128,
  clockSkewMillis: 15 * 60_000,
  /** Names that `srh` and `srq` of a user delegation SAS may list. */
  signedRequestNamesMax: 64,
  /** Tokens of one account whose signature was checked and is remembered. */
  provenTokensMax: 1_024,
  /** Fields of such tokens that are remembered as they were sent, and how long one may be. */
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
  /**
   * Longest key an engine sees: LMDB carries 1,978 bytes on 4 KiB pages, PostgreSQL 2,704 in an index row.
   */
  engineKeyBytesMax: 1_900,
  /** Longest key a service may use: two names of 3,072 bytes each, escaped, and their prefixes. */
  keyBytesMax: 16 * KIB,
  valueBytesMax: 16 * MIB,
  /** Small records that are kept in memory because transactions read them again and again. */
  cachedValuesMax: 256,
  cachedValueBytesMax: 512,
  batchTransactionsMax: 1_024,
  batchBytesMax: 8 * MIB,
  /** Transactions that are worth a commit of their own while others run. */
  halfBatchMin: 24,
  /** So long a transaction that was answered waits for its client's next one, to be committed with it. */
  asyncCommitMillis: 2,
  /**
   * A message that comes so soon after another one was waited for: its like are waited for awake, for so
   * long.
   */
  busyPollGapMillis: 2,
  busyPollMillis: 1,
  busyPollBytesMax: 64 * KIB,
  /** Pieces of memory in which values wait for their commit. */
  slabBytes: 64 * KIB,
  /** Memory in which commits are written down for the journal; a longer one gets its own. */
  journalDraftBytes: 256 * KIB,
  /** Commits that the journal has and the database has not: with more, the next one waits. */
  journaledBytesMax: 8 * MIB,
  /** So long they stay at most without company on their way to the database. */
  checkpointMillis: 50,
  checkpointWritesMin: 2_048,
  checkpointBytesMin: MIB,
  stuckRetryMillis: 100,
  queuedTransactionsMax: 100_000,
  rangePageEntries: 256,
  /** With no more room than this, a write that was cut short is laid to the full disk. */
  fullDiskBytesMax: MIB,
  /** Room that a commit leaves on the disk. LMDB must not find it full: see decision 0010. */
  recordsReserveBytes: 2 * MIB,
  /** More room than a disk can lose between two looks at it, and the time between them. */
  plentyOfSpaceBytes: 2 * GIB,
  plentyOfSpaceMillis: 50,
  /** Room that payload leaves, for the records: on a full disk, what is there can still be deleted. */
  payloadReserveBytes: 6 * MIB,
  /** Reads under way at one moment, in all processes that share an embedded store. */
  snapshotsMax: 16_384,

  // PostgreSQL engine
  /**
   * What the server allows one statement, one wait for a lock, and a transaction that stands still. A
   * statement is given up by the server before the connection counts as silent: its outcome is then certain.
   */
  statementMillis: 7_000,
  lockMillis: 5_000,
  idleInTransactionMillis: 60_000,
  /** The same for statements that clear up and may take long, and for making the tables. */
  longStatementMillis: 30_000,
  schemaMillis: 60_000,
  databaseKeepAliveMillis: 10_000,
  /**
   * A connection that owes an answer and has brought nothing for so long leads nowhere; how often that is
   * checked.
   */
  databaseSilenceMillis: 8_000,
  databaseWatchMillis: 500,
  /** Sent bytes at this rate are not silence, as long as other connections are answered. */
  databaseBytesPerSecondMin: 256 * KIB,
  /**
   * How long a request waits for a database that is away, how often that is checked, and how often it is
   * tried.
   */
  databasePatienceMillis: 15_000,
  databaseLateMillis: 250,
  databaseRetryMillis: 100,
  /** Without an answer for so long, the database is not ready. */
  databaseReadyMillis: 3_000,
  /** How soon the log says that the database is away, and how often it repeats that. */
  databaseFirstReportMillis: 2_000,
  databaseReportMillis: 5_000,
  /** How long a connection that is closed waits for the other side to close it too. */
  databaseGoodbyeMillis: 1_000,
  /**
   * A batch that meets another node's runs again so often, after waits that grow from the one to the other.
   */
  conflictTriesMax: 64,
  conflictDelayMin: 0.5,
  conflictDelayMax: 100,
  /** A node that has not moved for so many heartbeats of another one is dead: about 3 s. */
  heartbeatMillis: 600,
  missedBeatsMax: 4,
  /** What a node may hand out before its next heartbeat has said so. */
  revisionsAheadMillis: 5_000,
  /** Payload in one row, in one statement that writes waiting rows, and rows removed by one statement. */
  chunkRowBytes: 256 * KIB,
  chunkWriteBytes: 4 * MIB,
  chunksRemovedAtOnce: 64,
  /** What a migration moves in one transaction. */
  migrationBatchRecords: 1_000,
  migrationBatchBytes: 4 * MIB,
  /** How long a migration waits for the row of a node that is no longer there. */
  aloneMillisMax: 10_000,
  /** Records that a node expects to find unchanged, and how long each may be. */
  cachedRecordsMax: 10_000,
  cachedRecordBytesMax: 512,
  /** Messages to other nodes that wait to be sent; more are lost, which they may be. */
  announcementsWaitingMax: 10_000,
  /** Every so many heartbeats the operation ids of long ago are deleted. */
  outcomeSweepBeats: 400,

  // Extents
  inlineBytesMax: 8 * KIB,
  chunkBytes: 64 * KIB,
  /** What an append writes at once: small enough that the disk works while the rest of a body arrives. */
  pieceBytes: 1 * MIB,
  /** Room that an append claims at once, in pieces, and how many appends may do so side by side. */
  piecesClaimedMax: 4,
  appendsAheadMax: 64,
  extentBytesMax: 64 * MIB,
  /**
   * With no more than this share of an extent free, the next one is made: a fast upload needs 20 ms to fill
   * it, two syncs take 2.
   */
  nextExtentShare: 1 / 4,
  /** Pieces of one append being written while the next one is gathered. */
  piecesInFlightMax: 2,
  /** Payload of all appends between the clients and the disk. Many slow clients get smaller pieces. */
  appendMemoryBytes: 256 * MIB,
  /** Once so many appends are under way, an append does not wait for a whole chunk. */
  patientAppendsMax: 256,
  /** What it then writes at least, and into how many slices at most. */
  earlyPieceBytes: 8 * KIB,
  earlySlicesMax: 64,
  /**
   * Parts of a source below this are copied together: a client that sends single bytes must not cost a list
   * of them.
   */
  gatheredPartBytes: 4 * KIB,
  /** Pieces up to this, in frames, that come while one of them is being written become one write together. */
  gatheredWriteBytesMax: 64 * KIB,
  /** How much such a write takes, and in how many parts: systems take 1,024 and more. */
  gatheredWritesBytesMax: MIB,
  writePartsMax: 512,
  /**
   * Written bytes that start a sync before anybody waits for one, so that the disk works while the client
   * sends.
   */
  unsyncedBytesMax: 4 * MIB,
  /** One read from the disk, and how many of them run ahead of the consumer. */
  extentReadBytes: 1 * MIB,
  extentReadsAheadMax: 2,
  /** Payload read for all consumers and not yet taken by them. Beyond it each gets one chunk at a time. */
  readMemoryBytes: 24 * MIB,
  /** Descriptors kept open although nobody reads through them. */
  extentFilesIdleMax: 256,
  /** Descriptors one reader holds from its start. */
  extentsPinnedPerReader: 8,
  /** Headers of extents looked at together when a directory is opened. */
  recoveryChecksAtOnce: 16,

  // Reclaiming of extents
  reclaimIntervalMillis: 1_000,
  /** How long after something was dropped somebody looks whether a whole extent has become empty. */
  reclaimWakeupMillis: 50,
  /** How long after it was woken a chore runs: what comes together is done together. */
  jobWakeupMillis: 20,
  /** Extents looked at, and asked about, in one step. */
  reclaimExtentsPerStep: 256,
  /** Payload moved in one step, and steps made before the next tick of the timer. */
  compactionBytesPerStep: 64 * MIB,
  reclaimStepsPerTick: 4,
  /** Slices moved by one transaction, and their bytes: a longer one would hold up other writers. */
  compactionBatchSlices: 64,
  compactionBatchBytes: 8 * MIB,
  /** A sealed extent is compacted when less than this share of it is alive. */
  liveShareMin: 0.5,
  /** Sealed below this share of the full size, an extent is small; this many small ones are merged. */
  smallExtentShare: 0.25,
  smallExtentsMin: 8,

  // Around the services: accounts, logs, metrics, tooling
  workersMax: 64,
  /**
   * How often a worker process sends its heartbeat; silent for this long, it does not count as ready any
   * more.
   */
  workerBeatMillis: 1_000,
  workerLateMillis: 3_000,
  /**
   * Silent for this long, a worker is killed: longer than any garbage collection or wait for a busy
   * processor.
   */
  workerSilenceMillis: 10_000,
  /** The same for one that is starting: it loads the program and opens the store before it is ready. */
  workerStartMillis: 60_000,
  /**
   * Objects in the old generation of the heap beyond which it grows slowly; half of the young one; how often
   * both are looked at.
   */
  heapOldBytes: 40 * MIB,
  heapYoungBytes: 8 * MIB,
  heapWatchMillis: 100,
  accountsMax: 10_000,
  accountNameCharsMax: 64,
  accountKeyBytesMax: 1 * KIB,
  accountsFileBytesMax: 4 * MIB,
  accountsPollMillis: 2_000,
  certificateBytesMax: 1 * MIB,
  /** A start that came first by its name waits this often and this long for later ones to give way. */
  lockRoundsMax: 150,
  lockRoundMillis: 20,
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
  /** A page of a listing ends with the entry that brings it to this size: 5,000 ordinary entries fit. */
  listPageBytesMax: 4 * MIB,
  markerCharsMax: 16 * KIB,
  timeoutSecondsMax: 30,
  boundaryCharsMax: 70,
  multipartBytesMax: 4 * MIB,
  blobBatchRequestsMax: 256,
  tableBatchRequestsMax: 100,
} as const;
