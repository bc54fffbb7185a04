/** What stands for "never" on the wire, and ends the life of a message that would live longer. */
export const NEVER = Date.UTC(9999, 11, 31, 23, 59, 59);
export function isExpired(message, now) {
    return now >= message.expiresAt;
}
export function isVisible(message, now) {
    return now >= message.visibleAt && !isExpired(message, now);
}
/** Put Message. A message must be visible at some time of its life. */
export function insertMessage(insertion) {
    const { sequence, stamp, now, visibilityTimeout, timeToLive } = insertion;
    if (timeToLive !== "never" && visibilityTimeout >= timeToLive) {
        return { ok: false, why: "outlivesMessage" };
    }
    const expiresAt = timeToLive === "never" ? NEVER : Math.min(now + timeToLive, NEVER);
    const visibleAt = now + visibilityTimeout;
    return { ok: true, next: { sequence, stamp, insertedAt: now, expiresAt, visibleAt, dequeueCount: 0 } };
}
/** Get Messages, of a message that is visible. It may expire while it is hidden. */
export function takeMessage(message, { stamp, now, visibilityTimeout }) {
    const { sequence, insertedAt, expiresAt, dequeueCount } = message;
    const visibleAt = now + visibilityTimeout;
    return { sequence, stamp, visibleAt, insertedAt, expiresAt, dequeueCount: dequeueCount + 1 };
}
/**
 * Whether a receipt opens a message. `found` is what the store has at the receipt's address: a message that was
 * taken or updated since has moved away from there, or has another stamp.
 */
export function holdsReceipt(found, receipt, now) {
    if (found === undefined || isExpired(found, now))
        return false;
    return (found.sequence === receipt.sequence &&
        found.visibleAt === receipt.visibleAt &&
        found.stamp === receipt.stamp);
}
/** Update Message. It may not be hidden beyond its expiry. */
export function updateMessage(found, receipt, hiding) {
    const { stamp, now, visibilityTimeout } = hiding;
    if (!holdsReceipt(found, receipt, now))
        return { ok: false, why: "notFound" };
    const visibleAt = now + visibilityTimeout;
    if (visibleAt > found.expiresAt)
        return { ok: false, why: "outlivesMessage" };
    return { ok: true, next: { ...found, stamp, visibleAt } };
}
/** Delete Message. */
export function deleteMessage(found, receipt, now) {
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
export function printReceipt({ visibleAt, sequence, stamp }) {
    scratch[0] = RECEIPT_VERSION;
    scratch[1] = 0;
    scratch.writeUIntBE(visibleAt, 2, 6);
    scratch.writeBigUInt64BE(sequence, 8);
    scratch.writeBigUInt64BE(stamp, 16);
    return scratch.toString("base64");
}
/** Undefined when the text is no receipt of ours. */
export function parseReceipt(text) {
    if (!RECEIPT.test(text))
        return undefined;
    scratch.write(text, "base64");
    if (scratch[0] !== RECEIPT_VERSION || scratch[1] !== 0)
        return undefined;
    return {
        visibleAt: scratch.readUIntBE(2, 6),
        sequence: scratch.readBigUInt64BE(8),
        stamp: scratch.readBigUInt64BE(16),
    };
}
