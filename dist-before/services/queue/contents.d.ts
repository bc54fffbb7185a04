import type { Instant } from "../../base/clock.ts";
import { type Message, type Receipt } from "../../concurrency/visibility.ts";
import type { Entry, Key, Reader, Writer } from "../../store/kv.ts";
import { type TallyRecord } from "../../store/records/queue.ts";
/** A message as it is kept: its state, and its text in UTF-8. */
export interface KeptMessage {
    readonly state: Message;
    readonly text: Uint8Array;
}
/** A message and the entry it was read from. */
export interface StoredMessage extends KeptMessage {
    readonly entry: Entry;
}
/** The message at an entry of the range that `messagesOf` or `messageKey` describe. */
export declare function messageOf(entry: Entry): StoredMessage;
/** What the store has at the address a receipt gives. */
export declare function findMessage(read: Reader, contents: bigint, { visibleAt, sequence }: Receipt): Promise<StoredMessage | undefined>;
/** Puts a message. The tally is the caller's to keep. */
export declare function keepMessage(write: Writer, contents: bigint, { state, text }: KeptMessage): void;
/** Moves a message to the place of its next state, its text as it is: the bytes that were read are written again. */
export declare function moveMessage(write: Writer, contents: bigint, { entry }: StoredMessage, next: Message): void;
/** Removes a message and its expiry entry. The tally is the caller's to keep. */
export declare function dropMessage(write: Writer, contents: bigint, { entry, state }: StoredMessage): void;
/**
 * The tally is one small record that every Put, Get and Delete changes. Transactions run one after another and
 * share their commit, so a hot record costs each of them a few microseconds and the disk one page.
 */
export declare function readTally(read: Reader, contents: bigint): Promise<TallyRecord>;
export declare function putTally(write: Writer, contents: bigint, tally: TallyRecord): void;
/** The same tally, with a head that is not behind a message that was put there just now. */
export declare function withMessageAt(tally: TallyRecord, { visibleAt, sequence }: Message): TallyRecord;
/** Where the visible messages are: from the head to the last key that is visible at `now`. */
export declare function visibleRange(contents: bigint, tally: TallyRecord, now: Instant): {
    from: Key;
    to: Key;
};
export declare function readPage(read: Reader, from: Key, to: Key, limit: number): Promise<Entry[]>;
