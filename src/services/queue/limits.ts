import { KIB, MIB } from "../../base/limits.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** What the Queue service allows, by name and with its unit. */
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
  /** Longest time to live before version 2017-07-29. */
  timeToLiveSecondsMaxOnce: 7 * DAY_SECONDS,
  /** Expired messages in front that one transaction of a Get or Peek steps over, and how many of them it makes. */
  expiredPerStepMax: 1_000,
  expiredStepsMax: 100,
  /** Messages that one step of a background job looks at or removes: a longer transaction would hold up other writers. */
  sweptPerStep: 500,
  /** And the bytes of their texts, after which a step ends. */
  sweptBytesPerStep: 1 * MIB,
  sweepIntervalMillis: 1_000,
  /** How late an expired message may be looked for, as a part of its time to live. */
  sweepsPerTimeToLive: 64,
} as const;
