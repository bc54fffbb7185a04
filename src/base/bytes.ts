/**
 * Binary strings: one character for each byte. Node's own methods for them are fast but missing from its
 * types.
 */
declare global {
  interface Buffer {
    latin1Slice(start?: number, end?: number): string;
    latin1Write(text: string, offset?: number, length?: number): number;
    utf8Write(text: string, offset?: number, length?: number): number;
    utf8Slice(start?: number, end?: number): string;
    hexSlice(start?: number, end?: number): string;
    base64Slice(start?: number, end?: number): string;
  }
}

/**
 * Memory for bytes that do not live long. Node.js takes what is shorter than half of its pool of 8 KiB from
 * that pool and gives a page of 4 KiB an allocation of its own, which costs more to make, to count and to
 * free than the page costs to copy. Here pages lie side by side in larger pieces, of which each lives as long
 * as the last of its pages.
 */
export function allocatePage(bytes: number): Buffer {
  if (bytes < PAGE_BYTES_MIN || bytes > PAGE_BYTES_MAX) return Buffer.allocUnsafe(bytes);
  if (pagesUsed + bytes > PAGES_BYTES) {
    pages = Buffer.allocUnsafeSlow(PAGES_BYTES);
    pagesUsed = 0;
  }
  const start = pagesUsed;
  // Numbers of 64 bits may be read from it in place.
  pagesUsed = (start + bytes + 7) & ~7;
  return pages.subarray(start, start + bytes);
}

const PAGE_BYTES_MIN = Buffer.poolSize >>> 1;
const PAGE_BYTES_MAX = 16 * 1_024;
/** Not more: a page of a slow client keeps all of it. */
const PAGES_BYTES = 32 * 1_024;
let pages = Buffer.alloc(0);
let pagesUsed = PAGES_BYTES;

/** A copy in such memory. */
export function copyPage(bytes: Uint8Array): Buffer {
  const copy = allocatePage(bytes.length);
  copy.set(bytes);
  return copy;
}

/**
 * A copy that is done with after a few turns of the event loop: 0.16 us for a kilobyte. Of those only seven
 * fit into the pool of Node.js, and making a new one takes as long as copying the seven; here sixty share
 * one.
 */
export function copyBriefly(bytes: Uint8Array): Buffer {
  const { length } = bytes;
  if (length > PAGE_BYTES_MAX) return copyPage(bytes);
  if (briefUsed + length > brief.length) {
    brief = Buffer.allocUnsafeSlow(BRIEF_BYTES);
    briefUsed = 0;
  }
  const start = briefUsed;
  // As above.
  briefUsed = (start + length + 7) & ~7;
  brief.set(bytes, start);
  return brief.subarray(start, start + length);
}

const BRIEF_BYTES = 64 * 1_024;
let brief = Buffer.alloc(0);
let briefUsed = 0;

/** All pieces of a stream in one buffer. */
export async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  for await (const piece of pieces) kept.push(piece);
  return Buffer.concat(kept);
}

const eight = new Uint8Array(8);
const whole = new DataView(eight.buffer);

/**
 * Eight bytes, big-endian, as a binary string. Several times as fast as a write into a Buffer and a slice of
 * it.
 */
export function binaryOfUint64(value: bigint): string {
  whole.setBigUint64(0, value);
  return binaryOfEight();
}

/** The same of a whole number up to 2^53. */
export function binaryOfSafeInteger(value: number): string {
  whole.setUint32(0, Math.floor(value / 2 ** 32));
  whole.setUint32(4, value >>> 0);
  return binaryOfEight();
}

function binaryOfEight(): string {
  const b = eight as unknown as readonly [number, number, number, number, number, number, number, number];
  return String.fromCharCode(b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
}

/** Reads what `binaryOfUint64` printed. */
export function uint64OfBinary(text: string, start: number): bigint {
  for (let at = 0; at < 8; at++) eight[at] = text.charCodeAt(start + at);
  return whole.getBigUint64(0);
}

/** What Buffer has as `readBigUInt64BE`, which puts the number together with big arithmetic. */
export function readUint64(from: Uint8Array, start: number): bigint {
  if (start + 8 > from.length) throw new RangeError("bytes end inside a number");
  for (let at = 0; at < 8; at++) eight[at] = from[start + at]!;
  return whole.getBigUint64(0);
}

/** What Buffer has as `writeBigUInt64BE`, which takes the number apart with big arithmetic. */
export function writeUint64(into: Uint8Array, value: bigint, start: number): void {
  whole.setBigUint64(0, value);
  for (let at = 0; at < 8; at++) into[start + at] = eight[at]!;
}

/** One character, 80 to FF or a blank, as an address has it. */
export function percentByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * What `set` does: that goes byte by byte, ten times slower, when the target is memory that other threads
 * see.
 */
export function copyInto(target: Buffer, bytes: Uint8Array, at: number): void {
  if (bytes.length > 0) target.fill(bytes, at, at + bytes.length);
}
