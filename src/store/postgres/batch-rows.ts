import type { Entry, Key, Range } from "../kv.ts";
import { Guesses, type RecordCache } from "./known-records.ts";
import type { DatabaseSnapshot } from "./snapshot.ts";

/** A stretch of keys whose entries are all known, in ascending order. */
interface Stretch {
  low: Key;
  high: Key;
  entries: Entry[];
}

/** A known stretch that goes on is fetched in larger steps: the next transaction will want what comes after. */
const FURTHER_ENTRIES = 32;

/**
 * What a batch has read of its database snapshot. Transactions of one batch often want the same rows, and one that
 * has to run again wants what it read before: it is asked of the database once.
 */
export class BatchRows {
  readonly #snapshot: DatabaseSnapshot;
  readonly #guesses: Guesses;
  readonly #values = new Map<Key, Buffer | Promise<Buffer | undefined>>();
  readonly #stretches: Stretch[] = [];
  readonly #asked = new Map<string, Promise<Entry[]>>();

  constructor(snapshot: DatabaseSnapshot, known: RecordCache) {
    this.#snapshot = snapshot;
    this.#guesses = new Guesses(known);
  }

  /** Whether all that was taken for known has been found so. */
  areGuessesRight(): Promise<boolean> {
    return this.#guesses.areRight();
  }

  /** A copy: the row stays as it was read. */
  async get(key: Key): Promise<Buffer | undefined> {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = this.#guesses.take(key, this.#snapshot.get(key));
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
    const known = this.#stretches.find(({ low, high }) =>
      reverse ? low < to && to <= high : low <= from && from < high,
    );
    if (known === undefined) return this.#fetch({ from, to, reverse }, limit);
    const found = reverse
      ? known.entries.filter(({ key }) => key >= from && key < to).reverse()
      : known.entries.filter(({ key }) => key >= from && key < to);
    const isWhole = reverse ? known.low <= from : known.high >= to;
    if (found.length >= limit || isWhole) return found.slice(0, limit);
    const rest = reverse ? { from, to: known.low, reverse } : { from: known.high, to, reverse };
    const more = await this.#fetch(rest, Math.max(limit - found.length, FURTHER_ENTRIES), known);
    return [...found, ...more].slice(0, limit);
  }

  /** Asks the database, once for the same question, and remembers what the answer speaks for. */
  #fetch(
    range: Required<Pick<Range, "from" | "to" | "reverse">>,
    limit: number,
    known?: Stretch,
  ): Promise<Entry[]> {
    const question = `${range.from.length} ${range.to.length} ${range.reverse} ${limit} ${range.from}${range.to}`;
    let answer = this.#asked.get(question);
    if (answer === undefined) {
      answer = this.#snapshot.page(range, limit).then((entries) => {
        this.#cache(range, limit, entries, known);
        return entries;
      });
      this.#asked.set(question, answer);
    }
    return answer;
  }

  #cache(
    { from, to, reverse }: Required<Pick<Range, "from" | "to" | "reverse">>,
    limit: number,
    entries: readonly Entry[],
    known: Stretch | undefined,
  ): void {
    const last = entries.at(-1);
    const isLast = last === undefined || entries.length < limit;
    const low = reverse && !isLast ? last.key : from;
    const high = reverse || isLast ? to : `${last.key}\0`;
    const ascending = reverse ? [...entries].reverse() : [...entries];
    if (known !== undefined && !reverse && known.high === low) {
      known.high = high;
      known.entries.push(...ascending);
    } else if (known !== undefined && reverse && known.low === high) {
      known.low = low;
      known.entries.unshift(...ascending);
    } else this.#stretches.push({ low, high, entries: ascending });
  }
}
