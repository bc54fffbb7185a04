/** Every queue, batch, header and loop has its maximum here, by name and with its unit. */
export declare const KIB = 1024;
export declare const MIB: number;
export declare const GIB: number;
export declare const TIB: number;
export declare const LIMITS: {
    readonly headerBytesMax: number;
    readonly headerCountMax: 256;
    readonly targetBytesMax: number;
    readonly clientRequestIdCharsMax: 1024;
    readonly xmlBytesMax: number;
    readonly xmlDepthMax: 16;
    readonly xmlNodesMax: 200000;
    readonly servicePropertiesBytesMax: number;
    readonly headersTimeoutMillis: 30000;
    readonly bodyIdleMillis: 60000;
    readonly keepAliveMillis: 65000;
    readonly connectionsMax: 10000;
    /** How often connections are looked at for clients that stand still. */
    readonly connectionSweepMillis: 1000;
    /** How long the rest of a request is read away behind the last reply of a connection. */
    readonly lingerMillis: 2000;
    /** Bytes of a body that wait for the operation; past it the client is not read. */
    readonly bodyWaitingBytesMax: number;
    /** Chunk extensions and trailers of one body, which mean nothing to any operation. */
    readonly chunkExtrasBytesMax: number;
    readonly shutdownMillis: 30000;
    readonly shutdownSweepMillis: 50;
    /** From accepting a connection to a worker's word that it has it. */
    readonly handoverMillis: 10000;
    /** Rest of a refused body that is read away to keep the connection. */
    readonly drainedBytesMax: number;
    readonly clockSkewMillis: number;
    /** Names that `srh` and `srq` of a user delegation SAS may list. */
    readonly signedRequestNamesMax: 64;
    /** How far from now a user delegation key may start or end. */
    readonly delegationKeyMillisMax: number;
    readonly keyInfoBytesMax: number;
    readonly storedPoliciesMax: 5;
    readonly storedPolicyIdCharsMax: 64;
    readonly corsRulesMax: 5;
    readonly corsRulesBytesMax: number;
    readonly metadataBytesMax: number;
    /** Longest key an engine sees: LMDB carries 1,978 bytes on 4 KiB pages, PostgreSQL 2,704 in an index row. */
    readonly engineKeyBytesMax: 1900;
    /** Longest key a service may use: two names of 3,072 bytes each, escaped, and their prefixes. */
    readonly keyBytesMax: number;
    readonly valueBytesMax: number;
    readonly batchTransactionsMax: 1024;
    readonly batchBytesMax: number;
    readonly queuedTransactionsMax: 100000;
    readonly rangePageEntries: 256;
    /** With no more room than this, a write that was cut short is laid to the full disk. */
    readonly fullDiskBytesMax: number;
    /** Reads under way at one moment, in all processes that share an embedded store. */
    readonly snapshotsMax: 16384;
    readonly slowTransactionMillis: 250;
    readonly inlineBytesMax: number;
    readonly chunkBytes: number;
    readonly pieceBytes: number;
    readonly extentBytesMax: number;
    /** Pieces of one append being written while the next one is gathered. */
    readonly piecesInFlightMax: 2;
    /** Payload of all appends between the clients and the disk. Many slow clients get smaller pieces. */
    readonly appendMemoryBytes: number;
    /** Parts of a source below this are copied together: a client that sends single bytes must not cost a list of them. */
    readonly gatheredPartBytes: number;
    /** Written bytes that start a sync before anybody waits for one, so that the disk works while the client sends. */
    readonly unsyncedBytesMax: number;
    /** One read from the disk, and how many of them run ahead of the consumer. */
    readonly extentReadBytes: number;
    readonly extentReadsAheadMax: 2;
    /** Descriptors kept open although nobody reads through them. */
    readonly extentFilesIdleMax: 256;
    /** Descriptors one reader holds from its start. */
    readonly extentsHeldPerReader: 8;
    /** Headers of extents looked at together when a directory is opened. */
    readonly recoveryChecksAtOnce: 16;
    readonly reclaimIntervalMillis: 1000;
    /** Extents looked at, and asked about, in one step. */
    readonly reclaimExtentsPerStep: 256;
    /** Payload moved in one step, and steps made before the next tick of the timer. */
    readonly compactionBytesPerStep: number;
    readonly reclaimStepsPerTick: 4;
    /** Slices moved by one transaction, and their bytes: a longer one would hold up other writers. */
    readonly compactionBatchSlices: 64;
    readonly compactionBatchBytes: number;
    /** A sealed extent is compacted when less than this share of it is alive. */
    readonly liveShareMin: 0.5;
    /** Sealed below this share of the full size, an extent is small; this many small ones are merged. */
    readonly smallExtentShare: 0.25;
    readonly smallExtentsMin: 8;
    readonly workersMax: 64;
    readonly accountsMax: 10000;
    readonly accountNameCharsMax: 64;
    readonly accountKeyBytesMax: number;
    readonly accountsFileBytesMax: number;
    readonly accountsPollMillis: 2000;
    readonly certificateBytesMax: number;
    /** A start that came first by its name waits this often and this long for later ones to give way. */
    readonly lockRoundsMax: 150;
    readonly lockRoundMillis: 20;
    /** Access-log lines wait in memory until this much is there or this long has passed. */
    readonly accessLogBufferBytes: number;
    readonly accessLogFlushMillis: 1000;
    /** More than this unwritten, and lines are dropped: the disk is slower than the clients. */
    readonly logWaitingCharsMax: number;
    readonly logRetryMillis: 20;
    /** How often an encoded text is decoded again in search of a signature inside it. */
    readonly redactionDepthMax: 5;
    /** Series kept for operations; more than the tables have rows means a caller invents names. */
    readonly meteredOperationsMax: 1024;
    readonly xmlAttributesMax: 64;
    readonly xmlAttributeCharsMax: number;
    readonly retentionDaysMax: 365;
    readonly staticDocumentCharsMax: 1024;
    readonly corsOriginsMax: 64;
    readonly corsHeadersMax: 64;
    readonly corsHeaderPrefixesMax: 2;
    readonly corsItemCharsMax: 256;
    readonly corsMaxAgeSecondsMax: 2147483647;
    /** A range whose MD5 or CRC64 a client may ask for along with it. */
    readonly rangeDigestBytesMax: number;
    readonly structuredSegmentBytes: number;
    readonly structuredSegmentsMax: 65535;
    readonly listResultsMax: 5000;
    readonly markerCharsMax: number;
    readonly timeoutSecondsMax: 30;
    readonly boundaryCharsMax: 70;
    readonly multipartBytesMax: number;
    readonly blobBatchRequestsMax: 256;
    readonly tableBatchRequestsMax: 100;
};
