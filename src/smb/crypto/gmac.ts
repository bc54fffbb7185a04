import { type Cipher, createCipheriv } from "node:crypto";

/**
 * AES-128-GMAC of short messages. `node:crypto` makes a cipher, its key schedule and its tables anew for
 * every message: for the hundred bytes of most requests that is most of the work. Here the key's part is
 * done once: one ECB cipher encrypts the masks of the tags, for several messages at a time, and the hash is
 * plain TypeScript.
 *
 * The hash is GHASH (NIST SP 800-38D) by multiplication of integers with holes, as Thomas Pornin describes it
 * for BearSSL: of 32 bits only every fourth is set, so the carries of a product fall into the bits between
 * and are cut off. It has no branch and no table that depends on the key or the message.
 */
const BLOCK = 16;
/** Messages whose masks are made together: ids follow each other. */
const MASKED_MESSAGES = 16;
const MASKED_BITS = BigInt(MASKED_MESSAGES - 1);
/** Four words as they are and four mirror images, by Karatsuba: nine products each. */
const PRODUCTS = 18;
/** Each factor as four words with holes. */
const HOLES = 4;
const HOLE_0 = 0x1111_1111;
const HOLE_1 = 0x2222_2222;
const HOLE_2 = 0x4444_4444;
const HOLE_3 = 0x8888_8888 | 0;

const a = new Int32Array(PRODUCTS);
const c = new Int32Array(PRODUCTS);
const z = new Int32Array(8);

export class Gmac {
  readonly #cipher: Cipher;
  readonly #h = new Int32Array(PRODUCTS * HOLES);
  readonly #y = new Int32Array(4);
  readonly #rest = Buffer.alloc(BLOCK);
  #masks: Buffer = Buffer.alloc(0);
  #masksFrom = -1n;

  constructor(key: Buffer) {
    this.#cipher = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
    const h = this.#cipher.update(Buffer.alloc(BLOCK));
    expand(wordAt(h, 12), wordAt(h, 8), wordAt(h, 4), wordAt(h, 0));
    for (let i = 0; i < PRODUCTS; i++) {
      const word = a[i]!;
      this.#h[4 * i] = word & HOLE_0;
      this.#h[4 * i + 1] = word & HOLE_1;
      this.#h[4 * i + 2] = word & HOLE_2;
      this.#h[4 * i + 3] = word & HOLE_3;
    }
  }

  /** The tag of a message under the nonce of its id and the byte that follows it, which is 0 or 1. */
  tag(parts: readonly Buffer[], messageId: bigint, flag: 0 | 1): Buffer {
    const mask = this.#maskAt(messageId, flag);
    const masks = this.#masks;
    this.#y.fill(0);
    const bytes = this.#hash(parts);
    this.#add(bytes >>> 29, bytes << 3, 0, 0);
    const y = this.#y;
    const tag = Buffer.allocUnsafe(BLOCK);
    for (let i = 0; i < 4; i++) tag.writeInt32BE(y[3 - i]! ^ masks.readInt32BE(mask + 4 * i), 4 * i);
    return tag;
  }

  /** Where in `#masks` the encrypted first counter block of a message lies. */
  #maskAt(messageId: bigint, flag: 0 | 1): number {
    const from = messageId & ~MASKED_BITS;
    if (from !== this.#masksFrom) {
      const blocks = Buffer.alloc(2 * MASKED_MESSAGES * BLOCK);
      for (let i = 0; i < 2 * MASKED_MESSAGES; i++) {
        blocks.writeBigUInt64LE(from + BigInt(i >> 1), i * BLOCK);
        blocks[i * BLOCK + 8] = i & 1;
        blocks[i * BLOCK + 15] = 1;
      }
      this.#masks = this.#cipher.update(blocks);
      this.#masksFrom = from;
    }
    return (2 * Number(messageId & MASKED_BITS) + flag) * BLOCK;
  }

  /** All parts as one text, filled up with zeros; returns its length. */
  #hash(parts: readonly Buffer[]): number {
    const rest = this.#rest;
    let bytes = 0;
    let restBytes = 0;
    for (const part of parts) {
      bytes += part.length;
      let at = 0;
      if (restBytes > 0) {
        at = part.copy(rest, restBytes);
        restBytes += at;
        if (restBytes < BLOCK) continue;
        this.#addBlock(rest, 0);
      }
      for (; at + BLOCK <= part.length; at += BLOCK) this.#addBlock(part, at);
      restBytes = part.copy(rest, 0, at);
    }
    if (restBytes > 0) {
      rest.fill(0, restBytes);
      this.#addBlock(rest, 0);
    }
    return bytes;
  }

  #addBlock(block: Buffer, at: number): void {
    this.#add(wordAt(block, at), wordAt(block, at + 4), wordAt(block, at + 8), wordAt(block, at + 12));
  }

  /** y = (y ^ block) * h */
  #add(x3: number, x2: number, x1: number, x0: number): void {
    const y = this.#y;
    const h = this.#h;
    expand(y[0]! ^ x0, y[1]! ^ x1, y[2]! ^ x2, y[3]! ^ x3);
    for (let i = 0; i < PRODUCTS; i++) {
      const word = a[i]!;
      c[i] = product(word, h[4 * i]!, h[4 * i + 1]!, h[4 * i + 2]!, h[4 * i + 3]!);
    }
    combine();
    for (let i = 0; i < 4; i++) {
      const low = z[i]!;
      z[i + 4]! ^= low ^ (low >>> 1) ^ (low >>> 2) ^ (low >>> 7);
      z[i + 3]! ^= (low << 31) ^ (low << 30) ^ (low << 25);
    }
    y[0] = z[4]!;
    y[1] = z[5]!;
    y[2] = z[6]!;
    y[3] = z[7]!;
  }
}

function wordAt(bytes: Buffer, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}

/** The low half of the product of two polynomials over GF(2), one of them already with holes. */
function product(x: number, y0: number, y1: number, y2: number, y3: number): number {
  const x0 = x & HOLE_0;
  const x1 = x & HOLE_1;
  const x2 = x & HOLE_2;
  const x3 = x & HOLE_3;
  const z0 = Math.imul(x0, y0) ^ Math.imul(x1, y3) ^ Math.imul(x2, y2) ^ Math.imul(x3, y1);
  const z1 = Math.imul(x0, y1) ^ Math.imul(x1, y0) ^ Math.imul(x2, y3) ^ Math.imul(x3, y2);
  const z2 = Math.imul(x0, y2) ^ Math.imul(x1, y1) ^ Math.imul(x2, y0) ^ Math.imul(x3, y3);
  const z3 = Math.imul(x0, y3) ^ Math.imul(x1, y2) ^ Math.imul(x2, y1) ^ Math.imul(x3, y0);
  return (z0 & HOLE_0) | (z1 & HOLE_1) | (z2 & HOLE_2) | (z3 & HOLE_3);
}

/**
 * The order of bits turned round: the high half of a product is the low half of the mirror images' product.
 */
function mirror(word: number): number {
  let x = ((word & 0x5555_5555) << 1) | ((word >>> 1) & 0x5555_5555);
  x = ((x & 0x3333_3333) << 2) | ((x >>> 2) & 0x3333_3333);
  x = ((x & 0x0f0f_0f0f) << 4) | ((x >>> 4) & 0x0f0f_0f0f);
  x = ((x & 0x00ff_00ff) << 8) | ((x >>> 8) & 0x00ff_00ff);
  return (x << 16) | (x >>> 16);
}

/** The factors of the eighteen products, lowest word first, into `a`. */
function expand(w0: number, w1: number, w2: number, w3: number): void {
  spread(0, w0, w1, w2, w3);
  spread(9, mirror(w0), mirror(w1), mirror(w2), mirror(w3));
}

function spread(at: number, w0: number, w1: number, w2: number, w3: number): void {
  a[at] = w0;
  a[at + 1] = w1;
  a[at + 2] = w2;
  a[at + 3] = w3;
  a[at + 4] = w0 ^ w1;
  a[at + 5] = w2 ^ w3;
  a[at + 6] = w0 ^ w2;
  a[at + 7] = w1 ^ w3;
  a[at + 8] = w0 ^ w1 ^ w2 ^ w3;
}

/**
 * The product of 255 bits out of `c`, moved up by one bit because GCM counts bits from the other end, into
 * `z`.
 */
function combine(): void {
  c[4]! ^= c[0]! ^ c[1]!;
  c[5]! ^= c[2]! ^ c[3]!;
  c[8]! ^= c[6]! ^ c[7]!;
  c[13]! ^= c[9]! ^ c[10]!;
  c[14]! ^= c[11]! ^ c[12]!;
  c[17]! ^= c[15]! ^ c[16]!;
  z[0] = c[0]!;
  z[1] = c[4]! ^ (mirror(c[9]!) >>> 1);
  z[2] = c[1]! ^ c[0]! ^ c[2]! ^ c[6]! ^ (mirror(c[13]!) >>> 1);
  z[3] = c[4]! ^ c[5]! ^ c[8]! ^ (mirror(c[10]! ^ c[9]! ^ c[11]! ^ c[15]!) >>> 1);
  z[4] = c[2]! ^ c[1]! ^ c[3]! ^ c[7]! ^ (mirror(c[13]! ^ c[14]! ^ c[17]!) >>> 1);
  z[5] = c[5]! ^ (mirror(c[11]! ^ c[10]! ^ c[12]! ^ c[16]!) >>> 1);
  z[6] = c[3]! ^ (mirror(c[14]!) >>> 1);
  z[7] = mirror(c[12]!) >>> 1;
  for (let i = 7; i > 0; i--) z[i] = (z[i]! << 1) | (z[i - 1]! >>> 31);
  z[0]! <<= 1;
}
