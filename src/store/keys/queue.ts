import type { Instant } from "../../base/clock.ts";
import type { Key, Range } from "../kv.ts";
import { KeyReader, packKey, packOpenText, prefixEnd, prefixRange } from "./pack.ts";

/**
 * Queues by name: ("q", account, name). The record holds the id of the queue's present contents; deleting the
 * queue or clearing it gives that id up, and everything below is keyed by it.
 */
export function queueKey(account: string, name: string): Key {
  return packKey(["q", account, name]);
}

/** Queues of an account whose names begin with `prefix`, from the name `from` on. */
export function queuesRange(account: string, prefix: string, from: string | undefined): Range {
  const open = packOpenText(["q", account], prefix);
  const start = from === undefined ? open : queueKey(account, from);
  return { from: start > open ? start : open, to: prefixEnd(open) };
}

export function nameOfQueueKey(key: Key): string {
  return new KeyReader(key).skipText().skipText().text();
}

/**
 * Messages of one queue, longest visible first, then in the order of insertion: ("qv", contents, visibleAt,
 * sequence). Get Messages reads the head of this range; hiding a message moves it to a later key, behind now,
 * where no head scan meets it.
 */
export function messageKey(contents: bigint, visibleAt: Instant, sequence: bigint): Key {
  return MESSAGES + packKey([contents, visibleAt, sequence]);
}

const MESSAGES = packKey(["qv"]);
const VISIBLE_AT = MESSAGES.length + 8;
const SEQUENCE_AT = VISIBLE_AT + 8;

/** The key of the same message when it becomes visible at another time. */
export function movedMessageKey(key: Key, visibleAt: Instant): Key {
  return key.slice(0, VISIBLE_AT) + packKey([visibleAt]) + key.slice(SEQUENCE_AT);
}

export function messagesOf(contents: bigint): Range {
  return prefixRange(MESSAGES + packKey([contents]));
}

export function readMessageKey(key: Key): { readonly visibleAt: Instant; readonly sequence: bigint } {
  const reader = new KeyReader(key.slice(VISIBLE_AT));
  return { visibleAt: Number(reader.whole()), sequence: reader.whole() };
}

/**
 * Queues to look through for expired messages, soonest first: ("qe", when, contents). There is one for all messages
 * of a queue that expire at about the same time (`sweepTime`), so that taking and deleting a message need not write
 * it. Messages that never expire ask for none.
 */
export function sweepKey(at: Instant, contents: bigint): Key {
  return SWEEPS + packKey([at, contents]);
}

const SWEEPS = packKey(["qe"]);

/** Every queue whose time to be looked through has come. */
export function dueSweeps(now: Instant): Range {
  return { from: SWEEPS, to: SWEEPS + packKey([now + 1]) };
}

export function readSweepKey(key: Key): { readonly at: Instant; readonly contents: bigint } {
  const reader = new KeyReader(key.slice(SWEEPS.length));
  return { at: Number(reader.whole()), contents: reader.whole() };
}

/** How many messages there are and where the first may be: ("qc", contents). */
export function counterKey(contents: bigint): Key {
  return TALLIES + packKey([contents]);
}

const TALLIES = packKey(["qc"]);

/** Contents that no queue has any more, for a chore to remove: ("qx", contents). */
export function discardedKey(contents: bigint): Key {
  return packKey(["qx", contents]);
}

export const DISCARDED: Range = prefixRange(packKey(["qx"]));

export function contentsOfDiscardedKey(key: Key): bigint {
  return new KeyReader(key).skipText().whole();
}
