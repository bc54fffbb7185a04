import { GIB, KIB, MIB, TIB } from "../../base/limits.ts";

/** The File service's limits, by name and with their unit. */
export const FILE_LIMITS = {
  shareNameCharsMin: 3,
  shareNameCharsMax: 63,
  shareQuotaGibMax: 102_400,
  shareQuotaGibDefault: 5_120,
  quotaUnitBytes: GIB,
  shareSnapshotsMax: 200,
  /**
   * How long a tier change is reported as in progress. Nothing moves, but tools wait for its start and end.
   */
  tierTransitionMillis: 60_000,
  /** How long a deleted share can be restored, by default. */
  shareRetentionDays: 7,
  nameCharsMax: 255,
  pathCharsMax: 2_048,
  pathLevelsMax: 250,
  fileBytesMax: 4 * TIB,
  /** Named streams of one file or directory. */
  streamsPerInodeMax: 256,
  streamNameCharsMax: 255,
  /** The longest body of Put Range, and the longest range record. */
  rangeBytesMax: 4 * MIB,
  /**
   * Up to this size a reply includes the MD5 of a range although the client sent none. For a larger range it
   * would cost more than the rest of the request, and no client reads it.
   */
  reportedDigestBytesMax: 256 * KIB,
  /** Inline neighbours join up to this length, so that database pages stay as they are written. */
  joinedBytesMax: 4 * KIB,
  permissionHeaderBytesMax: 8 * KIB,
  permissionBytesMax: 64 * KIB,
  aclBytesMax: 64 * KIB,
  /** All extended attributes of a file or directory, as FileEaInformation counts them; the limit of NTFS. */
  eaBytesMax: 64 * KIB - 1,
  /** Parsed security descriptors cached for an account, where ACLs are enforced. */
  parsedPermissionsMax: 1_024,
  copySourceCharsMax: 4 * KIB,
  /** Ranges of a source that one transaction copies. */
  copyRangesPerStep: 1_024,
  /** How long Copy File waits for the copy to end before it replies with "pending". */
  copyAnswerMillis: 500,
  /** Inline ranges buffered for one reader. */
  readerInlineBytesMax: 64 * MIB,
  /** Ranges that a reader fetches at once. */
  readerRangesPerStep: 4_096,
  /** How often a read by handle restarts when the file changes between its steps. */
  readRestartsMax: 8,
  /** Ranges that List Ranges reads and sends at once when it lists all of them. */
  rangesPerStep: 10_000,
  /** Inodes that a directory listing fetches at once: each may have 8 KiB of metadata. */
  listedInodesPerStep: 1_024,
  handlesPerInodeMax: 2_000,
  handlesPerRootMax: 10_000,
  listHandlesMax: 1_000,
  /** Handles that one Force Close closes before it returns a marker. */
  closedPerRequestMax: 1_000,
  locksPerHandleMax: 4_096,
  /** Answered writes of a handle that may not be durable yet; with more, the next write waits for all. */
  unsyncedPerHandleMax: 64,
  /** The longest time a REST request waits for SMB clients to release their caches. */
  cacheWaitMillisMax: 30_000,
  /** How often the request checks for that, and the SMB side for requests, when no message arrives. */
  cachePollMillis: 200,
  cacheLookMillis: 1_000,
  /** The longest time an SMB open waits for clients of other members: longer than their time to answer. */
  openWaitMillisMax: 40_000,
  /** How often the release of an ephemeral record is retried when the store fails. */
  releaseRetryMillis: 1_000,
  /**
   * How often a process with SMB clients checks that its ephemeral records still exist, and how many checks
   * in a row may fail: together less than other processes need to declare it dead. After a loss, opens wait
   * for the quarantine, so that every other process has noticed too.
   */
  livenessCheckMillis: 300,
  livenessMissesMax: 6,
  livenessQuarantineMillis: 2_000,
  /** How often an SMB open retries when a REST request is in flight, and after how long. */
  openRetriesMax: 100,
  openRetryMillis: 5,
  /** How often a lock retries while writes are in flight, and a later write while a lock is pending. */
  lockRetriesMax: 400,
  pendingLockRetriesMax: 600,
  /** How often background jobs run, and how many records one transaction removes. */
  sweepIntervalMillis: 1_000,
  sweptPerStep: 512,
  /** Content of up to so many ranges is deleted by the transaction that replaces it. */
  rangesDroppedAtOnceMax: 4,
} as const;
