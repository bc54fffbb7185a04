import { readUint64, writeUint64 } from "../base/bytes.ts";
import type { Instant, Millis } from "../base/clock.ts";

/**
 * The life of a queue message. At any moment it is one of
 *
 *   visible     visibleAt <= now < expiresAt    Get Messages and Peek Messages return it
 *   invisible   now < visibleAt                 no client gets it
 *   expired     expiresAt <= now                gone for every operation, visible or not
 *
 * Put Message inserts it, visible at once or after a delay. Get Messages returns the message that has been
 * visible longest (of several, the one inserted first), increments its dequeue count, and hides it for the
 * visibility timeout. Update Message hides it again from now on, for any time or not at all, without
 * counting. Delete Message ends it.
 *
 * Put, Get and Update each return a pop receipt, with which the client may update or delete the message. Each
 * makes a new receipt and invalidates the one before. Nothing else does: a receipt stays valid after the
 * visibility timeout, until a client gets the message again. So when a slow worker's message was given to a
 * second worker, only the second can delete it.
 *
 * A receipt is also the message's address in the store, because it contains the sequence and the time from
 * which the message is visible. Its stamp is random, so that a client that may update but not get messages
 * cannot guess it. A receipt is valid when all three agree with the message.
 */
export interface Receipt {
  /** Identifies the message; unique, and in the order of insertion. */
  readonly sequence: bigint;
  readonly visibleAt: Instant;
  readonly stamp: bigint;
}

export interface Message extends Receipt {
  readonly insertedAt: Instant;
  /** `NEVER` for a message without a time to live. */
  readonly expiresAt: Instant;
  /** How often Get Messages returned it. */
  readonly dequeueCount: number;
}

/** "Never" on the wire, and the latest expiry of any message. */
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

/** Put Message. A message must become visible before it expires. */
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

/** Get Messages, for a visible message. It may expire while it is hidden. */
export function dequeueMessage(message: Message, { stamp, now, visibilityTimeout }: Hiding): Message {
  const { sequence, insertedAt, expiresAt, dequeueCount } = message;
  const visibleAt = now + visibilityTimeout;
  return { sequence, stamp, visibleAt, insertedAt, expiresAt, dequeueCount: dequeueCount + 1 };
}

/**
 * Whether a receipt is valid for a message. `found` is the message at the receipt's address: one that was
 * dequeued or updated since has another address or another stamp.
 */
function isReceiptValid(found: Message | undefined, receipt: Receipt, now: Instant): found is Message {
  if (found === undefined || isExpired(found, now)) return false;
  return (
    found.sequence === receipt.sequence &&
    found.visibleAt === receipt.visibleAt &&
    found.stamp === receipt.stamp
  );
}

/** Update Message. A message cannot be hidden beyond its expiry. */
export function updateMessage(found: Message | undefined, receipt: Receipt, hiding: Hiding): MessageOutcome {
  const { stamp, now, visibilityTimeout } = hiding;
  if (!isReceiptValid(found, receipt, now)) return { ok: false, why: "notFound" };
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
  return isReceiptValid(found, receipt, now) ? "met" : "notFound";
}

/*
 * A receipt on the wire is Base64 of 24 bytes, so without padding.
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

/** Undefined when the text is not a receipt. */
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
