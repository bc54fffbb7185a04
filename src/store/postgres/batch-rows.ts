import type { Entry, Key, Range } from "../kv.ts";
import { Guesses, type RecordCache } from "./record-cache.ts";
import type { DatabaseSnapshot } from "./snapshot.ts";

/** An interval of keys whose entries are all cached, in ascending order. */
interface Interval {
  low: Key;
  high: Key;
  entries: Entry[];
}

type BoundedRange = Required<Pick<Range, "from" | "to" | "reverse">>;

/** A cached interval grows in larger steps: the next transaction will read the entries after it. */
const GROWTH_ENTRIES = 32;

/**
 * The rows that a batch has read from its database snapshot. Transactions of one batch often read the same
 * rows, and one that runs again reads its rows again: each is fetched once.
 */
export class BatchRows {
  readonly #snapshot: DatabaseSnapshot;
  readonly #guesses: Guesses;
  readonly #values = new Map<Key, Buffer | Promise<Buffer | undefined>>();
  readonly #intervals: Interval[] = [];
  readonly #requests = new Map<string, Promise<Entry[]>>();

  constructor(snapshot: DatabaseSnapshot, cache: RecordCache) {
    this.#snapshot = snapshot;
    this.#guesses = new Guesses(cache);
  }

  /** Whether all guessed records were right. */
  areGuessesRight(): Promise<boolean> {
    return this.#guesses.areRight();
  }

  /** A copy, which the caller owns. */
  async get(key: Key): Promise<Buffer | undefined> {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = this.#guesses.guessOr(key, this.#snapshot.get(key));
      this.#values.set(key, value);
    }
    const found = await value;
    return found === undefined ? undefined : Buffer.from(found);
  }

  /** Up to `limit` entries of the range; fewer mean that the range has no more. */
  async page(range: Range, limit: number): Promise<Entry[]> {
    const entries = await this.#page(range, limit);
    return entries.map(({ key, value }) => ({ key, value: Buffer.from(value) }));
  }

  async #page({ from, to, reverse = false }: Range, limit: number): Promise<Entry[]> {
    if (from >= to || limit <= 0) return [];
    const cached = this.#intervals.find(({ low, high }) =>
      reverse ? low < to && to <= high : low <= from && from < high,
    );
    if (cached === undefined) return this.#fetch({ from, to, reverse }, limit);
    const found = cached.entries.filter(({ key }) => key >= from && key < to);
    if (reverse) found.reverse();
    const isWhole = reverse ? cached.low <= from : cached.high >= to;
    if (found.length >= limit || isWhole) return found.slice(0, limit);
    const rest = reverse ? { from, to: cached.low, reverse } : { from: cached.high, to, reverse };
    const more = await this.#fetch(rest, Math.max(limit - found.length, GROWTH_ENTRIES), cached);
    return [...found, ...more].slice(0, limit);
  }

  /** Fetches entries, once for the same range, and caches the interval that they cover. */
  #fetch(range: BoundedRange, limit: number, cached?: Interval): Promise<Entry[]> {
    const id = `${range.from.length} ${range.to.length} ${range.reverse} ${limit} ${range.from}${range.to}`;
    let answer = this.#requests.get(id);
    if (answer === undefined) {
      answer = this.#snapshot.page(range, limit).then((entries) => {
        this.#cache(range, limit, entries, cached);
        return entries;
      });
      this.#requests.set(id, answer);
    }
    return answer;
  }

  #cache(
    { from, to, reverse }: BoundedRange,
    limit: number,
    entries: readonly Entry[],
    cached: Interval | undefined,
  ): void {
    const last = entries.at(-1);
    const isLast = last === undefined || entries.length < limit;
    const low = reverse && !isLast ? last.key : from;
    const high = reverse || isLast ? to : `${last.key}\0`;
    const ascending = reverse ? [...entries].reverse() : [...entries];
    if (cached !== undefined && !reverse && cached.high === low) {
      cached.high = high;
      cached.entries.push(...ascending);
    } else if (cached !== undefined && reverse && cached.low === high) {
      cached.low = low;
      cached.entries.unshift(...ascending);
    } else this.#intervals.push({ low, high, entries: ascending });
  }
}
