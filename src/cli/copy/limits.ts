import { MIB } from "../../base/limits.ts";

/** The limits of `holdfast pull` and `holdfast push`. */
export const COPY_LIMITS = {
  /** Objects copied at the same time: the default and the maximum. */
  objects: 8,
  objectsMax: 64,
  /** Parts of blobs and files in memory, and their size. */
  partsMax: 12,
  partBytes: 8 * MIB,
  /** The longest write of an append blob, a page blob and a file. */
  writeBytes: 4 * MIB,
  blocksMax: 50_000,
  pageEntries: 250,
  attemptsMax: 6,
  firstRetryMillis: 200,
  replyMillis: 120_000,
  replyBytesMax: 64 * MIB,
  /** Failures that are printed; the others are counted. */
  failuresShownMax: 20,
  /** Messages that one queue may have while they are received. */
  receivedMax: 100_000,
  messagesPerGet: 32,
  /** How long received messages stay hidden at most. */
  receivedSeconds: 600,
  progressMillis: 250,
  inlinePermissionBytesMax: 8_000,
} as const;
