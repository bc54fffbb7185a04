import { createHash } from "node:crypto";
import { BLOCK_BYTES, compressInput, SHA256_INITIAL, sha256Input, sha256State } from "./sha256.ts";

/**
 * HMAC-SHA256 for short texts under long-lived keys: every signed request needs one. The first block of both
 * hashes depends on the key alone, so it is compressed once, when the key is made; a signature then costs one
 * compression per 64 bytes of text and one more. In node:crypto each call makes an object with a finalizer,
 * which costs more than the hash itself (decisions 0003 and 0055).
 *
 * All keys share state and input, which is safe because all functions here are synchronous.
 */
const DIGEST_BYTES = 32;
/** The last block ends with 0x80 and the length (the upper half of the 64-bit length is always zero). */
const PADDING_BYTES = 9;
const input = new DataView(sha256Input.buffer, sha256Input.byteOffset, sha256Input.byteLength);

export class HmacKey {
  readonly #inner: Int32Array;
  readonly #outer: Int32Array;

  constructor(key: Uint8Array) {
    const short = key.length > BLOCK_BYTES ? createHash("sha256").update(key).digest() : key;
    this.#inner = midstate(short, 0x36);
    this.#outer = midstate(short, 0x5c);
  }

  /** The signature over the UTF-8 bytes of the text. */
  sign(text: string): Buffer {
    this.#run(text);
    const digest = Buffer.allocUnsafe(DIGEST_BYTES);
    for (let word = 0; word < 8; word++) digest.writeInt32BE(sha256State[word]!, word * 4);
    return digest;
  }

  /**
   * Whether `given`, from `start` to its end, is the signature of the text in canonical Base64: 44 characters
   * of the standard alphabet, padded, unused bits zero. It runs in constant time.
   */
  matches(text: string, given: string, start = 0): boolean {
    this.#run(text);
    return isBase64OfState(given, start);
  }

  #run(text: string): void {
    sha256State.set(this.#inner);
    // A UTF-16 unit becomes at most three bytes.
    if (text.length * 3 + BLOCK_BYTES + PADDING_BYTES <= sha256Input.length) {
      const bytes = sha256Input.utf8Write(text, 0);
      compressLast(bytes, bytes);
    } else compressLong(Buffer.from(text, "utf8"));

    for (let word = 0; word < 8; word++) input.setInt32(word * 4, sha256State[word]!);
    sha256State.set(this.#outer);
    compressLast(DIGEST_BYTES, DIGEST_BYTES);
  }
}

/** The end of a hash whose first block was the key: the input holds the last `rest` of its `bytes`. */
function compressLast(rest: number, bytes: number): void {
  const end = (rest + PADDING_BYTES + BLOCK_BYTES - 1) & -BLOCK_BYTES;
  sha256Input[rest] = 0x80;
  for (let at = rest + 1; at < end - 4; at++) sha256Input[at] = 0;
  input.setInt32(end - 4, (BLOCK_BYTES + bytes) * 8);
  compressInput(end);
}

function compressLong(bytes: Buffer): void {
  const part = sha256Input.length - BLOCK_BYTES;
  let at = 0;
  for (; bytes.length - at >= part; at += part) {
    bytes.copy(sha256Input, 0, at, at + part);
    compressInput(part);
  }
  compressLast(bytes.copy(sha256Input, 0, at), bytes.length);
}

function midstate(key: Uint8Array, mask: number): Int32Array {
  sha256Input.fill(mask, 0, BLOCK_BYTES);
  for (let at = 0; at < key.length; at++) sha256Input[at] = key[at]! ^ mask;
  sha256State.set(SHA256_INITIAL);
  compressInput(BLOCK_BYTES);
  return sha256State.slice();
}

const NOT_A_DIGIT = 0xff;
const DIGIT_OF_CODE = new Uint8Array(128).fill(NOT_A_DIGIT);
for (const [digit, letter] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries()) {
  DIGIT_OF_CODE[letter.charCodeAt(0)] = digit;
}
const SIGNATURE_CHARS = 44;

/**
 * Compares digit by digit instead of decoding: a text that decodes to the right bytes but is not canonical
 * does not match. Table lookups use what the client sent, never the secret digest.
 */
function isBase64OfState(given: string, start: number): boolean {
  if (given.length - start !== SIGNATURE_CHARS) return false;
  let difference = given.charCodeAt(start + SIGNATURE_CHARS - 1) ^ 0x3d;
  for (let digit = 0; digit < SIGNATURE_CHARS - 1; digit++) {
    const code = given.charCodeAt(start + digit);
    const actual = code < 128 ? DIGIT_OF_CODE[code]! : NOT_A_DIGIT;
    const bit = digit * 6;
    const word = sha256State[bit >>> 5]!;
    const within = bit & 31;
    // A digit may span two words; zeros follow the last word, as canonical padding requires.
    const expected =
      within <= 26
        ? (word >>> (26 - within)) & 63
        : ((word << (within - 26)) | ((sha256State[(bit >>> 5) + 1] ?? 0) >>> (58 - within))) & 63;
    difference |= actual ^ expected;
  }
  return difference === 0;
}
