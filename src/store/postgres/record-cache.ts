import { DamagedData } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Key } from "../kv.ts";

interface CachedRecord {
  readonly value: Buffer;
  /** How often in a row it was found unchanged. */
  times: number;
}

/** A record found unchanged this often is likely to be unchanged the next time. */
const TIMES_MIN = 2;

/**
 * Small records that rarely change: containers, queues, tables, which most requests read to find other
 * records. A transaction continues with the cached record while the record itself is fetched along with its
 * next reads. The two are compared before the transaction has any effect, and a wrong guess runs again: this
 * saves a round trip and stays correct.
 */
export class RecordCache {
  /** In order of last use. */
  readonly #records = new Map<Key, CachedRecord>();

  guess(key: Key): Buffer | undefined {
    const cached = this.#records.get(key);
    return cached !== undefined && cached.times >= TIMES_MIN ? cached.value : undefined;
  }

  put(key: Key, value: Buffer | undefined): void {
    if (value === undefined || value.length > LIMITS.cachedRecordBytesMax) {
      this.#records.delete(key);
      return;
    }
    const cached = this.#records.get(key);
    const isSame = cached?.value.equals(value) === true;
    this.#records.delete(key);
    this.#records.set(
      key,
      isSame ? { value: cached.value, times: cached.times + 1 } : { value: Buffer.from(value), times: 0 },
    );
    if (this.#records.size <= LIMITS.cachedRecordsMax) return;
    for (const oldest of this.#records.keys()) {
      this.#records.delete(oldest);
      return;
    }
  }
}

/** Guesses of one transaction, and whether they were right. */
export class Guesses {
  readonly #cache: RecordCache;
  #checks: Promise<boolean>[] = [];
  #isWrong = false;

  constructor(cache: RecordCache) {
    this.#cache = cache;
  }

  /** The cached record, which is compared with `fetched` later, or the fetched one. */
  guessOr(key: Key, fetched: Promise<Buffer | undefined>): Buffer | Promise<Buffer | undefined> {
    const guess = this.#cache.guess(key);
    const cached = fetched.then(
      (value) => {
        this.#cache.put(key, value);
        return value;
      },
      (error: unknown) => {
        this.#cache.put(key, undefined);
        throw error;
      },
    );
    if (guess === undefined) return cached;
    const check = cached.then(
      (value) => value?.equals(guess) === true,
      (error: unknown) => {
        // Damaged meanwhile: the transaction that reads it runs again, and meets the damage itself.
        if (error instanceof DamagedData) return false;
        throw error;
      },
    );
    // `areRight` reports its error.
    check.catch(() => {});
    this.#checks.push(check);
    return guess;
  }

  /** Whether all guesses so far were right, once their records are fetched. */
  async areRight(): Promise<boolean> {
    if (this.#checks.length > 0 && (await Promise.all(this.#checks.splice(0))).includes(false))
      this.#isWrong = true;
    return !this.#isWrong;
  }
}

/** The transaction runs again, as after any conflict. */
export class WrongGuess extends Error {
  override readonly name = "WrongGuess";
  readonly code = "40001";

  constructor() {
    super("a record has changed since it was cached");
  }
}
