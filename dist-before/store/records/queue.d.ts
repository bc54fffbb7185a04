import type { Instant } from "../../base/clock.ts";
export interface PolicyRecord {
    readonly id: string;
    readonly start: Instant | undefined;
    readonly expiry: Instant | undefined;
    readonly permissions: string | undefined;
}
export interface QueueRecord {
    /** Its messages are keyed by this id. */
    readonly contents: bigint;
    readonly metadata: Readonly<Record<string, string>>;
    readonly policies: readonly PolicyRecord[];
}
/** The id stands in front, 8 bytes, because most operations want nothing but it. */
export declare const queueRecord: {
    pack({ contents, metadata, policies }: QueueRecord): Buffer;
    unpack(bytes: Buffer): QueueRecord;
    contentsOf: (bytes: Buffer) => bigint;
};
/**
 * A message, in bytes at fixed places: it is written and read more often than anything else. Where it is visible
 * from and its sequence stand in its key.
 *
 *   0  version 1    1  insertedAt (8)    9  expiresAt (8)    17  dequeueCount (4)    21  stamp (8)    29  text, UTF-8
 */
export interface MessageRecord {
    readonly insertedAt: Instant;
    readonly expiresAt: Instant;
    readonly dequeueCount: number;
    readonly stamp: bigint;
    readonly text: Uint8Array;
}
export declare const messageRecord: {
    pack({ insertedAt, expiresAt, dequeueCount, stamp, text }: MessageRecord): Buffer;
    /** Changes a packed message to one that was taken or updated, text left as it is. */
    restamp(bytes: Buffer, dequeueCount: number, stamp: bigint): void;
    /** `text` is a view of `bytes`. */
    unpack(bytes: Buffer): MessageRecord & {
        readonly text: Buffer;
    };
};
/**
 * What is counted for the contents of a queue.
 *
 *   0  version 1    1  count (8)    9  headVisibleAt (8)    17  headSequence (8)
 */
export interface TallyRecord {
    /** Messages that are there, also those that have expired and wait to be removed. */
    readonly count: number;
    /** No message has a key below (headVisibleAt, headSequence): where a scan of the head begins. */
    readonly headVisibleAt: Instant;
    readonly headSequence: bigint;
}
export declare const tallyRecord: {
    pack({ count, headVisibleAt, headSequence }: TallyRecord): Buffer;
    unpack(bytes: Buffer): TallyRecord;
};
/** The value of an expiry entry: where its message is now. */
export declare const placeRecord: {
    pack(visibleAt: Instant): Buffer;
    unpack: (bytes: Buffer) => Instant;
};
