import type { Instant, Millis } from "../base/clock.ts";
/**
 * The life of a queue message. At any moment it is one of
 *
 *   visible     visibleAt <= now < expiresAt    Get takes it, Peek shows it
 *   invisible   now < visibleAt                 nobody is given it
 *   expired     expiresAt <= now                gone for every operation, whatever else holds
 *
 * Put makes it, visible at once or after a delay. Get takes the visible message that has been visible longest (of
 * several, the one put first), counts the delivery, and hides it: for that time it is the taker's alone. Update
 * hides it again from now on, for a longer or shorter while or not at all, and counts nothing. Delete ends it.
 *
 * Whoever put, took or updated it last holds its *receipt*, and with that may update or delete it. Each of these
 * three makes a new receipt, and with it the one before worthless. Nothing else does: a receipt outlives the time
 * of hiding until somebody takes the message again. So of two workers that were given the same message one after
 * the other, because the first was slow, only the second can delete it.
 *
 * A receipt is also the message's address: it says which message, and from when on it will be visible, which is
 * where the store keeps it. The stamp is random, so that a receipt cannot be guessed by a client that may update
 * but not take. Receipt and message agree in all three, or the receipt is stale.
 */
export interface Receipt {
    /** Which message: unique for all time, in the order of insertion. */
    readonly sequence: bigint;
    readonly visibleAt: Instant;
    readonly stamp: bigint;
}
export interface Message extends Receipt {
    readonly insertedAt: Instant;
    /** `NEVER` for a message that stays until it is deleted. */
    readonly expiresAt: Instant;
    /** How often it was given to a taker. */
    readonly dequeueCount: number;
}
/** What stands for "never" on the wire, and ends the life of a message that would live longer. */
export declare const NEVER: Instant;
export type MessageOutcome = {
    readonly ok: true;
    readonly next: Message;
} | {
    readonly ok: false;
    readonly why: "outlivesMessage" | "notFound";
};
export declare function isExpired(message: Message, now: Instant): boolean;
export declare function isVisible(message: Message, now: Instant): boolean;
export interface Insertion {
    readonly sequence: bigint;
    readonly stamp: bigint;
    readonly now: Instant;
    readonly visibilityTimeout: Millis;
    readonly timeToLive: Millis | "never";
}
/** Put Message. A message must be visible at some time of its life. */
export declare function insertMessage(insertion: Insertion): MessageOutcome;
export interface Hiding {
    readonly stamp: bigint;
    readonly now: Instant;
    readonly visibilityTimeout: Millis;
}
/** Get Messages, of a message that is visible. It may expire while it is hidden. */
export declare function takeMessage(message: Message, { stamp, now, visibilityTimeout }: Hiding): Message;
/**
 * Whether a receipt opens a message. `found` is what the store has at the receipt's address: a message that was
 * taken or updated since has moved away from there, or has another stamp.
 */
export declare function holdsReceipt(found: Message | undefined, receipt: Receipt, now: Instant): found is Message;
/** Update Message. It may not be hidden beyond its expiry. */
export declare function updateMessage(found: Message | undefined, receipt: Receipt, hiding: Hiding): MessageOutcome;
/** Delete Message. */
export declare function deleteMessage(found: Message | undefined, receipt: Receipt, now: Instant): "met" | "notFound";
export declare function printReceipt({ visibleAt, sequence, stamp }: Receipt): string;
/** Undefined when the text is no receipt of ours. */
export declare function parseReceipt(text: string): Receipt | undefined;
