import { DamagedRecord } from "../../base/faults.ts";
import type { Key } from "../kv.ts";

/**
 * A value as an engine stores it: the record, then its checksum (4 bytes, little-endian), which also covers
 * the key. A value that appears at another key is damaged too.
 *
 * The checksum is a hash of 32 bits with four lanes, as xxHash32 has them. Every step is reversible, so that
 * damage within one word of the record is always detected, other damage in all but one of 2^32 cases. Of
 * what was measured it costs least for small records (decision 0060).
 */
export const CHECKSUM_BYTES = 4;

const A = 0x9e37_79b1;
const B = 0x85eb_ca77;
const C = 0xc2b2_ae3d;
const STEP_BYTES = 16;

const round = (lane: number, word: number): number => {
  const sum = (lane + Math.imul(word, B)) | 0;
  return Math.imul((sum << 13) | (sum >>> 19), A);
};

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** Of the first `length` bytes of `view`, a record with this key. */
function recordChecksum(key: Key, view: DataView, length: number): number {
  let hash = key.length;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x0100_0193);
  let at = 0;
  if (length >= STEP_BYTES) {
    let first = hash;
    let second = hash ^ A;
    let third = hash ^ B;
    let fourth = hash ^ C;
    for (const end = length - STEP_BYTES; at <= end; at += STEP_BYTES) {
      first = round(first, view.getInt32(at, true));
      second = round(second, view.getInt32(at + 4, true));
      third = round(third, view.getInt32(at + 8, true));
      fourth = round(fourth, view.getInt32(at + 12, true));
    }
    hash = (rotate(first, 1) + rotate(second, 7) + rotate(third, 12) + rotate(fourth, 18)) | 0;
  }
  hash = (hash + length) | 0;
  for (; at + 4 <= length; at += 4) hash = round(hash, view.getInt32(at, true));
  for (; at < length; at++) hash = round(hash, view.getUint8(at));
  hash = Math.imul(hash ^ (hash >>> 15), B);
  hash = Math.imul(hash ^ (hash >>> 13), C);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Whether `storedBytes` of `view` are what was written at this key. */
export function isIntactIn(key: Key, view: DataView, storedBytes: number): boolean {
  const length = storedBytes - CHECKSUM_BYTES;
  return length >= 0 && recordChecksum(key, view, length) === view.getUint32(length, true);
}

/** Whether a stored value is what was written at this key. */
export function isIntact(key: Key, stored: Uint8Array): boolean {
  return isIntactIn(key, viewOf(stored), stored.length);
}

/** The record in a stored value. Throws `DamagedData`, which names the record, unless it is intact. */
export function verified(key: Key, stored: Buffer): Buffer {
  if (!isIntact(key, stored)) throw damagedRecord(key);
  return stored.subarray(0, stored.length - CHECKSUM_BYTES);
}

/** The record with its checksum, in a buffer from `allocate`. */
export function withChecksum(
  key: Key,
  record: Uint8Array,
  allocate: (bytes: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  const stored = allocate(record.length + CHECKSUM_BYTES);
  stored.set(record);
  stored.writeUInt32LE(recordChecksum(key, viewOf(stored), record.length), record.length);
  return stored;
}

export function damagedRecord(key: Key): DamagedRecord {
  const end = key.indexOf("\0", 1);
  const family = key.startsWith("\0") ? "store" : key.slice(0, end < 0 ? undefined : end);
  const message = `a record of family ${family} is damaged: its checksum is wrong at ${printableKey(key)}`;
  return new DamagedRecord(message, key);
}

const KEY_CHARACTERS_MAX = 400;

/** The elements of a key, with the bytes that are not ASCII in hexadecimal. */
export function printableKey(key: Key): string {
  const text = key.slice(0, KEY_CHARACTERS_MAX).replaceAll("\0", "/");
  return text.replace(/[\x00-\x20\x7f-\xff]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
