import { KeyReader, packKey, packOpenText, prefixEnd, prefixRange } from "./pack.js";
/**
 * Queues by name: ("q", account, name). The record holds the id of the queue's present contents; deleting the
 * queue or clearing it gives that id up, and everything below is keyed by it.
 */
export function queueKey(account, name) {
    return packKey(["q", account, name]);
}
/** Queues of an account whose names begin with `prefix`, from the name `from` on. */
export function queuesRange(account, prefix, from) {
    const open = packOpenText(["q", account], prefix);
    const start = from === undefined ? open : queueKey(account, from);
    return { from: start > open ? start : open, to: prefixEnd(open) };
}
export function nameOfQueueKey(key) {
    return new KeyReader(key).skipText().skipText().text();
}
/**
 * Messages of one queue, longest visible first, then in the order of insertion: ("qv", contents, visibleAt,
 * sequence). Get Messages reads the head of this range; hiding a message moves it to a later key, behind now,
 * where no head scan meets it.
 */
export function messageKey(contents, visibleAt, sequence) {
    return MESSAGES + packKey([contents, visibleAt, sequence]);
}
const MESSAGES = packKey(["qv"]);
const VISIBLE_AT = MESSAGES.length + 8;
const SEQUENCE_AT = VISIBLE_AT + 8;
/** The key of the same message when it becomes visible at another time. */
export function movedMessageKey(key, visibleAt) {
    return key.slice(0, VISIBLE_AT) + packKey([visibleAt]) + key.slice(SEQUENCE_AT);
}
export function messagesOf(contents) {
    return prefixRange(MESSAGES + packKey([contents]));
}
export function readMessageKey(key) {
    const reader = new KeyReader(key.slice(VISIBLE_AT));
    return { visibleAt: Number(reader.whole()), sequence: reader.whole() };
}
/**
 * Messages that expire, soonest first, over all queues: ("qe", expiresAt, contents, sequence). The value says
 * where the message is: its visibleAt. Messages that never expire are not here.
 */
export function expiryKey(expiresAt, contents, sequence) {
    return EXPIRIES + packKey([expiresAt, contents, sequence]);
}
const EXPIRIES = packKey(["qe"]);
/** Everything that has expired at `now`. */
export function expiredRange(now) {
    return { from: EXPIRIES, to: EXPIRIES + packKey([now + 1]) };
}
export function readExpiryKey(key) {
    const reader = new KeyReader(key).skipText().skipWhole();
    return { contents: reader.whole(), sequence: reader.whole() };
}
/** How many messages there are and where the first may be: ("qc", contents). */
export function tallyKey(contents) {
    return TALLIES + packKey([contents]);
}
const TALLIES = packKey(["qc"]);
/** Contents that no queue has any more, for a chore to remove: ("qx", contents). */
export function discardedKey(contents) {
    return packKey(["qx", contents]);
}
export const DISCARDED = prefixRange(packKey(["qx"]));
export function contentsOfDiscardedKey(key) {
    return new KeyReader(key).skipText().whole();
}
