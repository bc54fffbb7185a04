import { assert } from "../../base/assert.ts";
import { binaryOfSafeInteger, binaryOfUint64, uint64OfBinary } from "../../base/bytes.ts";
import type { Key, Range } from "../kv.ts";

/**
 * Keys as tuples that sort like their parts.
 *
 *   string   its UTF-8 bytes, 00 as 01 01 and 01 as 01 02, then 00   "a" < "ab" < "b", and "a","b" < "ab"
 *   bigint   8 bytes, big-endian, unsigned                           9n < 10n
 *   number   the same, for whole numbers up to 2^53
 *
 * A 00 always ends a text, so all keys below one text share a prefix.
 * Each key layout fixes the type of every part, so no part carries a tag. An example, message 7 of a queue:
 * `packKey(["qv", "devstoreaccount1", 5n, 7n])` = `71 76 00` `64 65 ... 31 00` `00..05` `00..07`.
 */
export type KeyPart = string | bigint | number;

export function packKey(parts: readonly KeyPart[]): Key {
  let key = "";
  for (const part of parts) key += typeof part === "string" ? packText(part) : packWhole(part);
  return key;
}

const PLAIN = /^[\x02-\x7f]*$/;
const ESCAPED = /[\0\x01]/g;
const ESCAPE = /\x01[\x01\x02]/g;

function packText(text: string): string {
  if (PLAIN.test(text)) return `${text}\0`;
  // A lone surrogate has no UTF-8 form: two different names would become one key.
  assert(text.isWellFormed(), "a key part must be well-formed Unicode");
  const bytes = Buffer.from(text, "utf8").latin1Slice();
  return `${bytes.replace(ESCAPED, (byte) => (byte === "\0" ? "\x01\x01" : "\x01\x02"))}\0`;
}

function packWhole(value: bigint | number): string {
  if (typeof value === "bigint") {
    assert(BigInt.asUintN(64, value) === value, "a whole number in a key must fit 64 bits");
    return binaryOfUint64(value);
  }
  assert(Number.isSafeInteger(value) && value >= 0, "a number in a key must be whole and not negative");
  return binaryOfSafeInteger(value);
}

/** Reads the parts of a key in order. */
export class KeyReader {
  readonly #key: Key;
  #at = 0;

  constructor(key: Key) {
    this.#key = key;
  }

  text(): string {
    const end = this.#key.indexOf("\0", this.#at);
    assert(end >= 0, "a key part has no end");
    const raw = this.#key.slice(this.#at, end);
    this.#at = end + 1;
    if (PLAIN.test(raw)) return raw;
    const bytes = raw.replace(ESCAPE, (pair) => (pair === "\x01\x01" ? "\0" : "\x01"));
    return Buffer.from(bytes, "latin1").toString("utf8");
  }

  whole(): bigint {
    assert(this.#at + 8 <= this.#key.length, "a key ends inside a number");
    const value = uint64OfBinary(this.#key, this.#at);
    this.#at += 8;
    return value;
  }

  skipText(): this {
    this.text();
    return this;
  }

  skipWhole(): this {
    this.#at += 8;
    return this;
  }
}

/** The first key after every key that starts with `prefix`. */
export function prefixEnd(prefix: Key): Key {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end--;
  assert(end > 0, "a prefix must hold a byte below 0xff");
  return prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1);
}

export function prefixRange(prefix: Key): Range {
  return { from: prefix, to: prefixEnd(prefix) };
}

/** The next possible key: where the page after one that ended with `key` begins. */
export function keyAfter(key: Key): Key {
  return `${key}\0`;
}

/** The start of a text part, without its end: a prefix of every key whose next part begins with `text`. */
export function packOpenText(parts: readonly KeyPart[], text: string): Key {
  const closed = packText(text);
  return packKey(parts) + closed.slice(0, -1);
}

/** Keys below `parts` whose next text begins with `prefix`, from the text `from` on. */
export function textRange(parts: readonly KeyPart[], prefix: string, from: string | undefined): Range {
  const open = packOpenText(parts, prefix);
  const start = from === undefined ? open : packKey([...parts, from]);
  return { from: start > open ? start : open, to: prefixEnd(open) };
}

/**
 * Makes keys of two parts and caches the last one. A client stays in one container for a while, and a write
 * reads its blob before it puts it; a key that is the same string each time is also found faster in every
 * Map.
 */
export class LastKey<First, Second> {
  readonly #pack: (first: First, second: Second) => Key;
  #first: First | undefined;
  #second: Second | undefined;
  #key: Key = "";

  constructor(pack: (first: First, second: Second) => Key) {
    this.#pack = pack;
  }

  of(first: First, second: Second): Key {
    if (second !== this.#second || first !== this.#first) {
      this.#key = this.#pack(first, second);
      this.#first = first;
      this.#second = second;
    }
    return this.#key;
  }
}
