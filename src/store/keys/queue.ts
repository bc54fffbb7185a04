import type { Instant } from "../../base/clock.ts";
import type { Key, Range } from "../kv.ts";
import { KeyReader, packKey, prefixRange, textRange } from "./pack.ts";

/**
 * Queues by name: ("q", account, name). The record has the id of the queue's contents, which keys everything
 * below; deleting or clearing the queue abandons that id.
 */
export const queueKey = (account: string, name: string): Key => packKey(["q", account, name]);

export const ALL_QUEUES: Range = prefixRange(packKey(["q"]));

/** Queues of an account whose names begin with `prefix`, from the name `from` on. */
export const queuesRange = (account: string, prefix: string, from: string | undefined): Range =>
  textRange(["q", account], prefix, from);

export const nameOfQueueKey = (key: Key): string => new KeyReader(key).skipText().skipText().text();

/**
 * Messages of one queue, longest visible first, then in the order of insertion: ("qv", contents, visibleAt,
 * sequence). Get Messages reads the head of this range; hiding a message moves it to a key after now, beyond
 * the scan.
 */
export const messageKey = (contents: bigint, visibleAt: Instant, sequence: bigint): Key =>
  MESSAGES + packKey([contents, visibleAt, sequence]);

const MESSAGES = packKey(["qv"]);
const VISIBLE_AT = MESSAGES.length + 8;
const SEQUENCE_AT = VISIBLE_AT + 8;

/** The key of the same message when it becomes visible at another time. */
export const movedMessageKey = (key: Key, visibleAt: Instant): Key =>
  key.slice(0, VISIBLE_AT) + packKey([visibleAt]) + key.slice(SEQUENCE_AT);
export const messagesOf = (contents: bigint): Range => prefixRange(MESSAGES + packKey([contents]));

export function readMessageKey(key: Key): { readonly visibleAt: Instant; readonly sequence: bigint } {
  const reader = new KeyReader(key.slice(VISIBLE_AT));
  return { visibleAt: Number(reader.whole()), sequence: reader.whole() };
}

/**
 * Sweeps of queues for expired messages, soonest first: ("qe", time, contents). All messages of a queue that
 * expire at about the same time (`sweepTime`) share one, so that getting and deleting a message need not
 * write it. Messages that never expire have none.
 */
export const sweepKey = (at: Instant, contents: bigint): Key => SWEEPS + packKey([at, contents]);

const SWEEPS = packKey(["qe"]);

/** Every sweep that is due. */
export const dueSweeps = (now: Instant): Range => ({ from: SWEEPS, to: SWEEPS + packKey([now + 1]) });

export function readSweepKey(key: Key): { readonly at: Instant; readonly contents: bigint } {
  const reader = new KeyReader(key.slice(SWEEPS.length));
  return { at: Number(reader.whole()), contents: reader.whole() };
}

/** The number of messages, and where the first may be: ("qc", contents). */
export const counterKey = (contents: bigint): Key => COUNTERS + packKey([contents]);

const COUNTERS = packKey(["qc"]);

/** Contents without a queue, for a background job to remove: ("qx", contents). */
export const discardedKey = (contents: bigint): Key => packKey(["qx", contents]);
export const DISCARDED: Range = prefixRange(packKey(["qx"]));
export const contentsOfDiscardedKey = (key: Key): bigint => new KeyReader(key).skipText().whole();
