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
 * Messages that expire, soonest first, over all queues: ("qe", expiresAt, contents, sequence). The value says
 * where the message is: its visibleAt. Messages that never expire are not here.
 */
export function expiryKey(expiresAt: Instant, contents: bigint, sequence: bigint): Key {
  return EXPIRIES + packKey([expiresAt, contents, sequence]);
}

const EXPIRIES = packKey(["qe"]);

/** Everything that has expired at `now`. */
export function expiredRange(now: Instant): Range {
  return { from: EXPIRIES, to: EXPIRIES + packKey([now + 1]) };
}

export function readExpiryKey(key: Key): { readonly contents: bigint; readonly sequence: bigint } {
  const reader = new KeyReader(key).skipText().skipWhole();
  return { contents: reader.whole(), sequence: reader.whole() };
}

/** How many messages there are and where the first may be: ("qc", contents). */
export function tallyKey(contents: bigint): Key {
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
