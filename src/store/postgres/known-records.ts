import { LIMITS } from "../../base/limits.ts";
import type { Key } from "../kv.ts";

interface Known {
  readonly value: Buffer;
  /** How often in a row it was found as it is. */
  times: number;
}

/** Found unchanged so often, a record is likely to be so the next time. */
const TIMES_MIN = 2;

/**
 * Small records that this node keeps finding unchanged: containers, queues, tables, which most requests look up only to
 * learn where to look next. A transaction goes on with what such a record was the last time, while the record itself
 * is fetched along with whatever the transaction asks for next; it is compared before anything comes of it, and a
 * transaction that guessed wrong runs again. This saves a round trip and believes nothing.
 */
export class RecordCache {
  /** In order of last use, as a Map keeps its insertions. */
  readonly #known = new Map<Key, Known>();

  guess(key: Key): Buffer | undefined {
    const known = this.#known.get(key);
    return known !== undefined && known.times >= TIMES_MIN ? known.value : undefined;
  }

  put(key: Key, value: Buffer | undefined): void {
    if (value === undefined || value.length > LIMITS.cachedRecordBytesMax) {
      this.#known.delete(key);
      return;
    }
    const known = this.#known.get(key);
    const isSame = known?.value.equals(value) === true;
    this.#known.delete(key);
    this.#known.set(
      key,
      isSame ? { value: known.value, times: known.times + 1 } : { value: Buffer.from(value), times: 0 },
    );
    if (this.#known.size <= LIMITS.cachedRecordsMax) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

/** Guesses of one transaction, and whether they were right. */
export class Guesses {
  readonly #known: RecordCache;
  #checks: Promise<boolean>[] = [];
  #isWrong = false;

  constructor(known: RecordCache) {
    this.#known = known;
  }

  /** What the record is believed to be, to be compared with what it is; or what it is. */
  take(key: Key, fetched: Promise<Buffer | undefined>): Buffer | Promise<Buffer | undefined> {
    const guess = this.#known.guess(key);
    const cached = fetched.then((value) => {
      this.#known.put(key, value);
      return value;
    });
    if (guess === undefined) return cached;
    const check = cached.then((value) => value?.equals(guess) === true);
    // Its error is met by who asks whether the guesses were right.
    check.catch(() => {});
    this.#checks.push(check);
    return guess;
  }

  /** When everything guessed so far has been fetched: whether all of it was right. */
  async areRight(): Promise<boolean> {
    if (this.#checks.length > 0 && (await Promise.all(this.#checks.splice(0))).includes(false))
      this.#isWrong = true;
    return !this.#isWrong;
  }
}

/** To be tried again, as after any conflict. */
export class WrongGuess extends Error {
  override readonly name = "WrongGuess";
  readonly code = "40001";

  constructor() {
    super("a record has changed since it was last seen");
  }
}
