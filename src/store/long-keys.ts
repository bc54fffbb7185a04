import "../base/bytes.ts";
import { createHash } from "node:crypto";
import { assert, InvariantBroken } from "../base/assert.ts";
import type { Instant } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import type { Revision } from "../base/revision.ts";
import { prefixEnd } from "./keys/pack.ts";
import type { Entry, Key, MaybePromise, Range, Reader, SyncReader, SyncWriter, Writer } from "./kv.ts";
import { updateFetching, viewFetching } from "./sync-transaction.ts";

/**
 * Long keys over engines that support only short ones.
 *
 * A blob name may have 3,072 bytes, a table key two such names; LMDB supports 1,978 bytes, a PostgreSQL index
 * row 2,704. So a key longer than K = `LIMITS.engineKeyBytesMax` is split. With P its first K bytes:
 *
 *   P 00                     a link: longer keys that start with P are stored below
 *   00 'L' sha256(P) rest    the value; `rest` is the key without P (split again if it is too long)
 *
 * The link sorts right after P and before every key that does not start with P, so a scan that meets a link
 * continues below it and returns: the order is kept. Only links are K+1 bytes long. A get computes the place
 * without the link. The writer deletes a link with nothing below it.
 */
export interface RawReader {
  /** No method returns a promise. */
  readonly isSynchronous: boolean;
  get(key: Key): MaybePromise<Buffer | undefined>;
  getMany(keys: readonly Key[]): MaybePromise<(Buffer | undefined)[]>;
  /** Up to `limit` entries of the range in order; fewer mean that the range has no more. */
  page(range: Range, limit: number): MaybePromise<Entry[]>;
  now(): Instant;
}

export interface RawWriter extends RawReader {
  put(key: Key, value: Uint8Array): void;
  delete(key: Key): void;
  revision(above?: Revision): Revision;
}

const K = LIMITS.engineKeyBytesMax;
const EMPTY = Buffer.alloc(0);

/** Keys that start with 00 belong to the store: links, the keys below them, the highest revision. */
const FIRST_KEY: Key = "\x01";

function checkKey(key: Key): void {
  // The empty key gives NaN, which is not above 0 either.
  assert(key.charCodeAt(0) > 0, "the empty key and keys that start with 00 belong to the store");
  assert(key.length <= LIMITS.keyBytesMax, "a key exceeds the longest legal name");
}

function refuse(): never {
  throw new InvariantBroken("a transaction is used after it has ended");
}

/** Replaces the transaction of a reader or writer once it has ended. */
const ENDED: RawWriter = {
  isSynchronous: true,
  get: refuse,
  getMany: refuse,
  page: refuse,
  now: refuse,
  put: refuse,
  delete: refuse,
  revision: refuse,
};

function linkOf(key: Key): Key {
  return `${key.slice(0, K)}\0`;
}

function belowOf(prefix: Key): Key {
  return `\0L${createHash("sha256").update(prefix, "latin1").digest().latin1Slice()}`;
}

function engineKey(key: Key): Key {
  checkKey(key);
  let at = key;
  while (at.length > K) at = belowOf(at.slice(0, K)) + at.slice(K);
  return at;
}

/** Links are one byte longer. */
const isShort = ({ key }: Entry): boolean => key.length <= K;
const DONE: IteratorResult<Entry> = { done: true, value: undefined };

/** Avoids a generator, which costs more than a short range. Reads nothing before the first `next`. */
class RangeIterator implements AsyncIterableIterator<Entry> {
  readonly #begin: () => Entry[] | AsyncGenerator<Entry>;
  #entries: Entry[] | undefined;
  #walk: AsyncGenerator<Entry> | undefined;
  #at = 0;

  constructor(begin: () => Entry[] | AsyncGenerator<Entry>) {
    this.#begin = begin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Entry>> {
    if (this.#entries === undefined && this.#walk === undefined) {
      try {
        const begun = this.#begin();
        if (Array.isArray(begun)) this.#entries = begun;
        else this.#walk = begun;
      } catch (error) {
        return Promise.reject(error);
      }
    }
    if (this.#walk !== undefined) return this.#walk.next();
    const value = this.#entries![this.#at++];
    return Promise.resolve(value === undefined ? DONE : { done: false, value });
  }

  return(): Promise<IteratorResult<Entry>> {
    this.#entries = [];
    return this.#walk?.return(undefined) ?? Promise.resolve(DONE);
  }
}

/**
 * A transaction may throw or restart before it awaits all its requests. Their errors must not count as
 * unhandled: the outcome of the transaction reports them.
 */
function mayBeAbandoned<T>(request: Promise<T>): Promise<T> {
  request.catch(() => {});
  return request;
}

export class LongKeyReader<Raw extends RawReader = RawReader> implements Reader {
  protected raw: Raw;

  constructor(raw: Raw) {
    this.raw = raw;
  }

  get(key: Key): MaybePromise<Buffer | undefined> {
    const found = this.raw.get(engineKey(key));
    return found instanceof Promise ? mayBeAbandoned(found) : found;
  }

  getMany(keys: readonly Key[]): MaybePromise<(Buffer | undefined)[]> {
    const found = this.raw.getMany(keys.map(engineKey));
    return found instanceof Promise ? mayBeAbandoned(found) : found;
  }

  now(): Instant {
    return this.raw.now();
  }

  view<T>(decide: (read: SyncReader) => T): MaybePromise<T> {
    // No method of a synchronous engine returns a promise, as a decision needs it.
    if (this.raw.isSynchronous) return decide(this as unknown as SyncReader);
    return mayBeAbandoned(viewFetching(this, decide));
  }

  /** The transaction has ended: further use throws, and never reads another transaction's state. */
  end(): void {
    this.raw = ENDED as RawReader as Raw;
  }

  range(range: Range): AsyncIterable<Entry> {
    const inside = range.from < FIRST_KEY ? { ...range, from: FIRST_KEY } : range;
    return new RangeIterator(() => this.#begin(inside));
  }

  take(range: Range, count: number): MaybePromise<Entry[]> {
    assert(count <= LIMITS.rangePageEntries, "take returns at most a page");
    const { from, to, reverse = false } = range;
    if (from.length > K || to.length > K) return mayBeAbandoned(this.#collect(range, count));
    const low = from < FIRST_KEY ? FIRST_KEY : from;
    if (low >= to || count <= 0) return [];
    const page = this.raw.page({ from: low, to, reverse }, count);
    const whole = (entries: Entry[]): MaybePromise<Entry[]> =>
      entries.every(isShort) ? entries : this.#collect(range, count);
    return page instanceof Promise ? mayBeAbandoned(page.then(whole)) : whole(page);
  }

  async #collect({ from, to, reverse = false }: Range, limit: number): Promise<Entry[]> {
    const found: Entry[] = [];
    for await (const entry of this.range({ from, to, reverse, limit })) found.push(entry);
    return found;
  }

  /** The whole range if it is one page without long keys, as most are; otherwise a walk through it. */
  #begin(range: Range): Entry[] | AsyncGenerator<Entry> {
    const { from, to, reverse = false, limit = Number.POSITIVE_INFINITY } = range;
    if (from.length > K || to.length > K) return this.#walk(range);
    if (from >= to || limit <= 0) return [];
    const pageMax = Math.min(limit, LIMITS.rangePageEntries);
    const page = this.raw.page({ from, to, reverse }, pageMax);
    if (!Array.isArray(page)) return this.#walk(range, page);
    const isWhole = page.length < pageMax || page.length === limit;
    return isWhole && page.every(isShort) ? page : this.#walk(range, page);
  }

  /** `first` is the first page, if it was requested already. */
  async *#walk(
    { from, to, reverse = false, limit = Number.POSITIVE_INFINITY }: Range,
    first?: Entry[] | Promise<Entry[]>,
  ): AsyncGenerator<Entry> {
    let ready = first;
    let low = from.length <= K ? from : linkOf(from);
    let high = to.length <= K ? to : `${linkOf(to)}\0`;
    let left = limit;
    while (low < high && left > 0) {
      const pageMax = Math.min(left, LIMITS.rangePageEntries);
      const page = await (ready ?? this.raw.page({ from: low, to: high, reverse }, pageMax));
      ready = undefined;
      for (const entry of page) {
        if (isShort(entry)) {
          yield entry;
          left--;
        } else {
          for await (const long of this.#below(entry.key.slice(0, K), { from, to, reverse, limit: left })) {
            yield long;
            left--;
          }
        }
        if (left <= 0) return;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageMax) return;
      if (reverse) high = last.key;
      else low = `${last.key}\0`;
    }
  }

  /** The part of the range below a link, with the full keys. */
  async *#below(prefix: Key, { from, to, ...rest }: Range): AsyncGenerator<Entry> {
    const below = belowOf(prefix);
    const isCutLow = from.length > K && from.startsWith(prefix);
    const isCutHigh = to.length > K && to.startsWith(prefix);
    const part = {
      ...rest,
      from: isCutLow ? below + from.slice(K) : below,
      to: isCutHigh ? below + to.slice(K) : prefixEnd(below),
    };
    for await (const { key, value } of this.#walk(part)) {
      yield { key: prefix + key.slice(below.length), value };
    }
  }
}

export class LongKeyWriter extends LongKeyReader<RawWriter> implements Writer {
  #shortened: Set<Key> | undefined;

  put(key: Key, value: Uint8Array): void {
    checkKey(key);
    assert(value.length <= LIMITS.valueBytesMax, "a record exceeds the largest value");
    let at = key;
    while (at.length > K) {
      this.raw.put(linkOf(at), EMPTY);
      at = belowOf(at.slice(0, K)) + at.slice(K);
    }
    this.raw.put(at, value);
  }

  delete(key: Key): void {
    this.raw.delete(engineKey(key));
    if (key.length <= K) return;
    this.#shortened ??= new Set();
    this.#shortened.add(key);
  }

  revision(above?: Revision): Revision {
    return this.raw.revision(above);
  }

  update<T>(decide: (write: SyncWriter) => T): MaybePromise<T> {
    if (this.raw.isSynchronous) return decide(this as unknown as SyncWriter);
    return mayBeAbandoned(updateFetching(this, decide));
  }

  /** Whether `finish` has links to check. */
  get hasLooseEnds(): boolean {
    return this.#shortened !== undefined;
  }

  /** Removes links with nothing below. The engine calls it at the end of the transaction. */
  async finish(): Promise<void> {
    if (this.#shortened === undefined) return;
    for (const key of this.#shortened) {
      const links: { link: Key; below: Key }[] = [];
      for (let at = key; at.length > K; ) {
        const below = belowOf(at.slice(0, K));
        links.push({ link: linkOf(at), below });
        at = below + at.slice(K);
      }
      for (const { link, below } of links.reverse()) {
        const rest = await this.raw.page({ from: below, to: prefixEnd(below) }, 1);
        if (rest.length === 0) this.raw.delete(link);
      }
    }
  }
}
