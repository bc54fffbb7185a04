import { KIB, MIB } from "../../base/limits.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** The limits of the Queue service. */
export const QUEUE_LIMITS = {
  queueNameCharsMin: 3,
  queueNameCharsMax: 63,
  messageTextBytesMax: 64 * KIB,
  /** XML may write one byte of text in several: `&quot;` takes six, `&#x0022;` eight. */
  messageBodyBytesMax: 8 * 64 * KIB,
  aclBytesMax: 64 * KIB,
  messagesPerGetMax: 32,
  visibilitySecondsMax: 7 * DAY_SECONDS,
  visibilitySecondsDefault: 30,
  timeToLiveSecondsDefault: 7 * DAY_SECONDS,
  /** The longest time to live before version 2017-07-29. */
  timeToLiveSecondsMaxOnce: 7 * DAY_SECONDS,
  /**
   * Expired messages at the head that one transaction of a Get or Peek passes, and how many transactions it
   * runs.
   */
  expiredPerStepMax: 1_000,
  expiredStepsMax: 100,
  /**
   * Messages that one step of a background job reads or removes: a longer transaction would delay other
   * writers.
   */
  sweptPerStep: 500,
  /** The bytes of their texts after which a step ends. */
  sweptBytesPerStep: 1 * MIB,
  sweepIntervalMillis: 1_000,
  /** An expired message is swept at most this fraction of its time to live too late. */
  sweepsPerTimeToLive: 64,
} as const;
