import { GIB, KIB, MIB, TIB } from "../../base/limits.ts";

/** The File service's limits, by name and with their unit. */
export const FILE_LIMITS = {
  shareNameCharsMin: 3,
  shareNameCharsMax: 63,
  shareQuotaGibMax: 102_400,
  shareQuotaGibDefault: 5_120,
  quotaUnitBytes: GIB,
  shareSnapshotsMax: 200,
  /** How long a share that got another tier says so: nothing has to move here, but tools wait for it to begin and end. */
  tierTransitionMillis: 60_000,
  /** How long a deleted share can be had back, unless the operator says otherwise. */
  shareRetentionDays: 7,
  nameCharsMax: 255,
  pathCharsMax: 2_048,
  pathLevelsMax: 250,
  fileBytesMax: 4 * TIB,
  /** Named streams of one file or directory. */
  streamsPerInodeMax: 256,
  streamNameCharsMax: 255,
  /** What one Put Range may carry, and the longest record of a range. */
  rangeBytesMax: 4 * MIB,
  /**
   * Up to here the MD5 of a range is told although the client sent none. On a large one it would cost more than all
   * the rest of the request, and no client looks at it.
   */
  reportedDigestBytesMax: 256 * KIB,
  /** Neighbours that lie in their records join up to this: pages of databases stay as they are written. */
  joinedBytesMax: 4 * KIB,
  permissionHeaderBytesMax: 8 * KIB,
  permissionBytesMax: 64 * KIB,
  aclBytesMax: 64 * KIB,
  /** All extended attributes of a file or directory together, as FileEaInformation counts them; NTFS has the same. */
  eaBytesMax: 64 * KIB - 1,
  /** Security descriptors of an account that are kept read, where they are enforced. */
  parsedPermissionsMax: 1_024,
  copySourceCharsMax: 4 * KIB,
  /** Ranges of a source that one transaction copies. */
  copyRangesPerStep: 1_024,
  /** How long Copy File waits for the copy to end before it answers "pending". */
  copyAnswerMillis: 500,
  /** Small ranges that lie inside their records, held in memory for one reader. */
  readerInlineBytesMax: 64 * MIB,
  /** Ranges that a reader looks up at once. */
  readerRangesPerStep: 4_096,
  /** A read by handle that needs several looks begins again so often when the file changes in between. */
  readRestartsMax: 8,
  /** Ranges that List Ranges reads and sends at once when it gives a list whole. */
  rangesPerStep: 10_000,
  /** Records that a listing of a directory fetches at once: each may have 8 KiB of metadata. */
  listedNodesPerStep: 1_024,
  handlesPerInodeMax: 2_000,
  handlesPerRootMax: 10_000,
  listHandlesMax: 1_000,
  /** Handles that one Force Close ends before it gives a marker. */
  closedPerRequestMax: 1_000,
  locksPerHandleMax: 4_096,
  /** How long a REST call waits at most for SMB clients to give up their caches. */
  cacheWaitMillisMax: 30_000,
  /** How often it looks whether they have, and how often the SMB side looks for calls, when no message came. */
  cachePollMillis: 200,
  cacheLookMillis: 1_000,
  /** How long an SMB open waits at most for clients of other nodes: longer than those have to answer. */
  openWaitMillisMax: 40_000,
  /**
   * How often a process that serves SMB clients looks whether its records are still there, and how many looks in a row
   * may fail: together less than the others take to hold it for dead. Then nobody opens anything for a while, until
   * every other process has noticed too.
   */
  /** How often what a call held is tried to be released when the store failed. */
  releaseRetryMillis: 1_000,
  livenessCheckMillis: 300,
  livenessMissesMax: 6,
  livenessQuarantineMillis: 2_000,
  /** An SMB open that meets a REST call under way tries again this often, after this long. */
  openRetriesMax: 100,
  openRetryMillis: 5,
  /** A lock waits for writes that are under way as often as this, and writes that come later wait for it. */
  lockRetriesMax: 400,
  pendingLockRetriesMax: 600,
  /** Background work: how often, and how many records one transaction removes. */
  sweepIntervalMillis: 1_000,
  sweptPerStep: 512,
  /** Content of so many ranges goes in the transaction that replaces it. */
  rangesDroppedAtOnceMax: 4,
} as const;
