import { KIB, MIB } from "../base/limits.ts";

/** The SMB front end's limits, by name and with their unit. */
export const SMB_LIMITS = {
  connectionsMax: 4_096,
  /** A connection that has not logged in by then is ended. */
  loginMillis: 30_000,
  /** Silence of a connection with a session and nothing open: the client connects again when it needs to. */
  idleMillis: 15 * 60_000,
  /**
   * Silence after which the socket probes its peer; without an answer it closes within seconds. Long enough
   * for a machine that sleeps for a moment, short enough for clients that wait for its open files.
   */
  keepAliveMillis: 5 * 60_000,
  transactBytesMax: 8 * MIB,
  readBytesMax: 8 * MIB,
  writeBytesMax: 8 * MIB,
  /** Before LARGE_MTU, and for what one credit pays. */
  creditBytes: 64 * KIB,
  /** A message before the login: a token and little else. */
  anonymousFrameBytesMax: 64 * KIB,
  creditsMax: 8_192,
  pdusPerCompoundMax: 64,
  /** Requests of one connection that wait for something: locks, changes, breaks. */
  asyncRequestsMax: 1_024,
  /** Bytes of requests received and not yet answered; beyond this the socket is not read. */
  requestBytesMax: 64 * MIB,
  /** Replies not yet read by the client; beyond this the socket is not read. */
  replyBytesMax: 32 * MIB,
  /** The same for all connections together, with the replies that are being read from the disk. */
  replyMemoryBytesMax: 64 * MIB,
  /** Replies up to this size are copied together: one more write of the socket costs more than the copy. */
  joinedReplyBytesMax: 16 * KIB,
  sessionsPerConnectionMax: 64,
  /** Connections that carry one session. */
  channelsPerSessionMax: 32,
  treesPerSessionMax: 1_024,
  opensPerConnectionMax: 65_536,
  pipesPerConnectionMax: 64,
  pipeBytesMax: 256 * KIB,
  pipeFragmentsMax: 1_024,
  pathCharsMax: 2_048,
  nameCharsMax: 255,
  locksPerRequestMax: 4_096,
  locksPerOpenMax: 16_384,
  copyChunksMax: 256,
  copyChunkBytesMax: 1 * MIB,
  copyBytesMax: 16 * MIB,
  directoryEntriesPerStep: 512,
  /** Events kept for a watched directory between two requests. */
  notifyBytesMax: 64 * KIB,
  /** How often a process announces which shares its clients watch, and how long others believe it. */
  watchRepeatMillis: 1_000,
  watchValidMillis: 5_000,
  /** A request that waits for another process shows as pending after this long. */
  pendMillis: 250,
  /** A LOCK that waits is tried again this often: another process may have released the lock. */
  lockRetryMillis: 250,
  securityDescriptorBytesMax: 64 * KIB,
  /** A list of extended attributes, or of their names: as much as a file may have, with the padding. */
  eaListBytesMax: 128 * KIB,
  breakMillis: 35_000,
  /** How long the CLOSE that deletes a file waits for clients whose caches keep it open. */
  closeWaitMillis: 1_000,
  /** How long the first write of a handle does not show in the file's times. */
  writeTimeMillis: 2_000,
  durableMillisDefault: 60_000,
  durableMillisMax: 300_000,
  durableOpensMax: 16_384,
  /** Failed logins from one address: each doubles the wait before the answer, up to the longest. */
  loginDelayMillisMin: 100,
  loginDelayMillisMax: 5_000,
  loginFailuresKept: 10_000,
  loginFailureMillis: 5 * 60_000,
  fileBytesMax: 4 * 1_024 * 1_024 * MIB,
} as const;
