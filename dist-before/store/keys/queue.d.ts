import type { Instant } from "../../base/clock.ts";
import type { Key, Range } from "../kv.ts";
/**
 * Queues by name: ("q", account, name). The record holds the id of the queue's present contents; deleting the
 * queue or clearing it gives that id up, and everything below is keyed by it.
 */
export declare function queueKey(account: string, name: string): Key;
/** Queues of an account whose names begin with `prefix`, from the name `from` on. */
export declare function queuesRange(account: string, prefix: string, from: string | undefined): Range;
export declare function nameOfQueueKey(key: Key): string;
/**
 * Messages of one queue, longest visible first, then in the order of insertion: ("qv", contents, visibleAt,
 * sequence). Get Messages reads the head of this range; hiding a message moves it to a later key, behind now,
 * where no head scan meets it.
 */
export declare function messageKey(contents: bigint, visibleAt: Instant, sequence: bigint): Key;
/** The key of the same message when it becomes visible at another time. */
export declare function movedMessageKey(key: Key, visibleAt: Instant): Key;
export declare function messagesOf(contents: bigint): Range;
export declare function readMessageKey(key: Key): {
    readonly visibleAt: Instant;
    readonly sequence: bigint;
};
/**
 * Messages that expire, soonest first, over all queues: ("qe", expiresAt, contents, sequence). The value says
 * where the message is: its visibleAt. Messages that never expire are not here.
 */
export declare function expiryKey(expiresAt: Instant, contents: bigint, sequence: bigint): Key;
/** Everything that has expired at `now`. */
export declare function expiredRange(now: Instant): Range;
export declare function readExpiryKey(key: Key): {
    readonly contents: bigint;
    readonly sequence: bigint;
};
/** How many messages there are and where the first may be: ("qc", contents). */
export declare function tallyKey(contents: bigint): Key;
/** Contents that no queue has any more, for a chore to remove: ("qx", contents). */
export declare function discardedKey(contents: bigint): Key;
export declare const DISCARDED: Range;
export declare function contentsOfDiscardedKey(key: Key): bigint;
