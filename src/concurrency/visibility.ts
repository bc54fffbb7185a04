import { readUint64, writeUint64 } from "../base/bytes.ts";
import type { Instant, Millis } from "../base/clock.ts";

/**
 * The life of a queue message. At any moment it is one of
 *
 *   visible     visibleAt <= now < expiresAt    Get takes it, Peek shows it
 *   invisible   now < visibleAt                 nobody is given it
 *   expired     expiresAt <= now                gone for every operation, whatever else holds
 *
 * Put makes it, visible at once or after a delay. Get takes the visible message that has been visible longest
 * (of several, the one put first), counts the delivery, and hides it: for that time it is the taker's alone.
 * Update hides it again from now on, for a longer or shorter while or not at all, and counts nothing. Delete
 * ends it.
 *
 * Whoever put, took or updated it last holds its *receipt*, and with that may update or delete it. Each of
 * these three makes a new receipt, and with it the one before worthless. Nothing else does: a receipt
 * outlives the time of hiding until somebody takes the message again. So of two workers that were given the
 * same message one after the other, because the first was slow, only the second can delete it.
 *
 * A receipt is also the message's address: it says which message, and from when on it will be visible, which
 * is where the store keeps it. The stamp is random, so that a receipt cannot be guessed by a client that may
 * update but not take. Receipt and message agree in all three, or the receipt is stale.
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
export const NEVER: Instant = Date.UTC(9999, 11, 31, 23, 59, 59);

export type MessageOutcome =
  | { readonly ok: true; readonly next: Message }
  | { readonly ok: false; readonly why: "outlivesMessage" | "notFound" };

export function isExpired(message: Message, now: Instant): boolean {
  return now >= message.expiresAt;
}

export function isVisible(message: Message, now: Instant): boolean {
  return now >= message.visibleAt && !isExpired(message, now);
}

export interface Insertion {
  readonly sequence: bigint;
  readonly stamp: bigint;
  readonly now: Instant;
  readonly visibilityTimeout: Millis;
  readonly timeToLive: Millis | "never";
}

/** Put Message. A message must be visible at some time of its life. */
export function insertMessage(insertion: Insertion): MessageOutcome {
  const { sequence, stamp, now, visibilityTimeout, timeToLive } = insertion;
  if (timeToLive !== "never" && visibilityTimeout >= timeToLive) {
    return { ok: false, why: "outlivesMessage" };
  }
  const expiresAt = timeToLive === "never" ? NEVER : Math.min(now + timeToLive, NEVER);
  const visibleAt = now + visibilityTimeout;
  return { ok: true, next: { sequence, stamp, insertedAt: now, expiresAt, visibleAt, dequeueCount: 0 } };
}

export interface Hiding {
  readonly stamp: bigint;
  readonly now: Instant;
  readonly visibilityTimeout: Millis;
}

/** Get Messages, of a message that is visible. It may expire while it is hidden. */
export function dequeueMessage(message: Message, { stamp, now, visibilityTimeout }: Hiding): Message {
  const { sequence, insertedAt, expiresAt, dequeueCount } = message;
  const visibleAt = now + visibilityTimeout;
  return { sequence, stamp, visibleAt, insertedAt, expiresAt, dequeueCount: dequeueCount + 1 };
}

/**
 * Whether a receipt opens a message. `found` is what the store has at the receipt's address: a message that
 * was taken or updated since has moved away from there, or has another stamp.
 */
function holdsReceipt(found: Message | undefined, receipt: Receipt, now: Instant): found is Message {
  if (found === undefined || isExpired(found, now)) return false;
  return (
    found.sequence === receipt.sequence &&
    found.visibleAt === receipt.visibleAt &&
    found.stamp === receipt.stamp
  );
}

/** Update Message. It may not be hidden beyond its expiry. */
export function updateMessage(found: Message | undefined, receipt: Receipt, hiding: Hiding): MessageOutcome {
  const { stamp, now, visibilityTimeout } = hiding;
  if (!holdsReceipt(found, receipt, now)) return { ok: false, why: "notFound" };
  const visibleAt = now + visibilityTimeout;
  if (visibleAt > found.expiresAt) return { ok: false, why: "outlivesMessage" };
  return { ok: true, next: { ...found, stamp, visibleAt } };
}

/** Delete Message. */
export function deleteMessage(
  found: Message | undefined,
  receipt: Receipt,
  now: Instant,
): "met" | "notFound" {
  return holdsReceipt(found, receipt, now) ? "met" : "notFound";
}

/*
 * On the wire: Base64 of 24 bytes, so without padding.
 *
 *   01                 version of this form
 *   00 vv vv vv vv vv vv   visibleAt, milliseconds since 1970
 *   ss .. ss           sequence, 8 bytes
 *   tt .. tt           stamp, 8 bytes
 */
const RECEIPT_VERSION = 1;
const RECEIPT_BYTES = 24;
const RECEIPT = /^[A-Za-z0-9+/]{32}$/;
const scratch = Buffer.alloc(RECEIPT_BYTES);

export function printReceipt({ visibleAt, sequence, stamp }: Receipt): string {
  scratch[0] = RECEIPT_VERSION;
  scratch[1] = 0;
  scratch.writeUIntBE(visibleAt, 2, 6);
  writeUint64(scratch, sequence, 8);
  writeUint64(scratch, stamp, 16);
  return scratch.toString("base64");
}

/** Undefined when the text is no receipt of ours. */
export function parseReceipt(text: string): Receipt | undefined {
  if (!RECEIPT.test(text)) return undefined;
  scratch.write(text, "base64");
  if (scratch[0] !== RECEIPT_VERSION || scratch[1] !== 0) return undefined;
  return {
    visibleAt: scratch.readUIntBE(2, 6),
    sequence: readUint64(scratch, 8),
    stamp: readUint64(scratch, 16),
  };
}
