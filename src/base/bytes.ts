/** Fast methods of Buffer that are missing from its types. A binary string has one character per byte. */
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

/** Cuts buffers out of larger allocations. An allocation lives as long as the last buffer cut out of it. */
export class SlabAllocator {
  readonly #slabBytes: number;
  #slab = Buffer.alloc(0);
  #used = 0;

  constructor(slabBytes: number) {
    this.#slabBytes = slabBytes;
  }

  allocate(bytes: number): Buffer {
    if (bytes > this.#slabBytes >>> 1) return Buffer.allocUnsafeSlow(bytes);
    if (this.#used + bytes > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(this.#slabBytes);
      this.#used = 0;
    }
    const start = this.#used;
    // Aligned, so that 64-bit numbers can be read from it in place.
    this.#used = (start + bytes + 7) & ~7;
    return this.#slab.subarray(start, start + bytes);
  }
}

const PAGE_BYTES_MIN = Buffer.poolSize >>> 1;
const PAGE_BYTES_MAX = 16 * 1_024;
/** Small, because one page of a slow client keeps the whole slab. */
const pages = new SlabAllocator(32 * 1_024);
const shortLived = new SlabAllocator(64 * 1_024);

/**
 * Memory for bytes that do not live long. Node.js pools only buffers below half of its pool of 8 KiB, and an
 * own allocation for a page of 4 KiB costs more to make and to free than copying the page.
 */
export function allocatePage(bytes: number): Buffer {
  return bytes < PAGE_BYTES_MIN || bytes > PAGE_BYTES_MAX ? Buffer.allocUnsafe(bytes) : pages.allocate(bytes);
}

export function copyPage(bytes: Uint8Array): Buffer {
  const copy = allocatePage(bytes.length);
  copy.set(bytes);
  return copy;
}

/**
 * A copy for a few ticks of the event loop: 0.16 us for a kilobyte. The pool of Node.js has space for only
 * seven of them, and a new pool costs as much as copying the seven; here sixty share one slab.
 */
export function copyBriefly(bytes: Uint8Array): Buffer {
  if (bytes.length > PAGE_BYTES_MAX) return copyPage(bytes);
  const copy = shortLived.allocate(bytes.length);
  copy.set(bytes);
  return copy;
}

/** A whole stream in one buffer. */
export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const eight = new Uint8Array(8);
const whole = new DataView(eight.buffer);

/** Big-endian, as a binary string. Several times as fast as a write into a Buffer and a slice of it. */
export function binaryOfUint64(value: bigint): string {
  whole.setBigUint64(0, value);
  return binaryOfEight();
}

/** The same for a whole number up to 2^53. */
export function binaryOfSafeInteger(value: number): string {
  whole.setUint32(0, Math.floor(value / 2 ** 32));
  whole.setUint32(4, value >>> 0);
  return binaryOfEight();
}

function binaryOfEight(): string {
  const b = eight as unknown as readonly [number, number, number, number, number, number, number, number];
  return String.fromCharCode(b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
}

/** The inverse of `binaryOfUint64`. */
export function uint64OfBinary(text: string, start: number): bigint {
  for (let at = 0; at < 8; at++) eight[at] = text.charCodeAt(start + at);
  return whole.getBigUint64(0);
}

/** Faster than `readBigUInt64BE`, which uses BigInt arithmetic. */
export function readUint64(from: Uint8Array, start: number): bigint {
  if (start + 8 > from.length) throw new RangeError("bytes end inside a number");
  for (let at = 0; at < 8; at++) eight[at] = from[start + at]!;
  return whole.getBigUint64(0);
}

/** Faster than `writeBigUInt64BE`, which uses BigInt arithmetic. */
export function writeUint64(into: Uint8Array, value: bigint, start: number): void {
  whole.setBigUint64(0, value);
  for (let at = 0; at < 8; at++) into[start + at] = eight[at]!;
}

/** One character, 80 to FF or a blank, percent-encoded. */
export function percentByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** `target.set(bytes, at)`, which copies byte by byte, ten times slower, when the target is shared memory. */
export function copyInto(target: Buffer, bytes: Uint8Array, at: number): void {
  if (bytes.length > 0) target.fill(bytes, at, at + bytes.length);
}
