import { LIMITS } from "../base/limits.ts";
import type { Entry, Key, Range } from "./kv.ts";
import type { Snapshot } from "./overlay.ts";

const SLOTS = 64;

/**
 * Small values that transactions read again and again, the record of a busy queue say: a look into a map costs a
 * fifth of a look into the database. They are those of the committed state, and are good for as long as nobody else
 * may write: whoever gets the turn to write forgets all it knew.
 */
export class ValueCache {
  readonly #values = new Map<Key, Buffer>();
  /** Keys that were looked for lately. One that is read a second time is worth a place; most never are. */
  readonly #seen: Key[] = new Array(SLOTS).fill("");

  get(key: Key): Buffer | undefined {
    return this.#values.get(key);
  }

  /** What the database had for a key. The bytes stay the caller's. */
  put(key: Key, value: Buffer): void {
    if (value.length > LIMITS.cachedValueBytesMax) return;
    const slot = slotOf(key);
    if (this.#seen[slot] !== key) {
      this.#seen[slot] = key;
      return;
    }
    if (this.#values.size >= LIMITS.cachedValuesMax) this.#values.clear();
    this.#values.set(key, Buffer.from(value));
  }

  /** A batch has been committed. */
  follow(writes: ReadonlyMap<Key, Buffer | null>): void {
    const known = this.#values;
    if (known.size === 0) return;
    if (known.size > writes.size) {
      for (const [key, value] of writes) if (known.has(key)) this.#replace(key, value);
      return;
    }
    for (const key of known.keys()) {
      const value = writes.get(key);
      if (value !== undefined) this.#replace(key, value);
    }
  }

  forget(): void {
    this.#values.clear();
  }

  #replace(key: Key, value: Buffer | null): void {
    if (value === null || value.length > LIMITS.cachedValueBytesMax) this.#values.delete(key);
    // A copy, because what was written shares its piece of memory with much else.
    else this.#values.set(key, Buffer.from(value));
  }
}

/** Keys of one family are alike at their start and differ at their end. (A key of one byte has no byte before: NaN.) */
function slotOf(key: Key): number {
  const { length } = key;
  return (length * 31 + key.charCodeAt(length - 1) * 7 + key.charCodeAt(length - 2)) & (SLOTS - 1);
}

/** A committed state, with what is read of it again and again at hand. */
export class CachedSnapshot implements Snapshot {
  readonly #known = new ValueCache();
  readonly #base: Snapshot;

  constructor(base: Snapshot) {
    this.#base = base;
  }

  get(key: Key): Buffer | undefined {
    const known = this.#known.get(key);
    if (known !== undefined) return Buffer.from(known);
    const value = this.#base.get(key);
    if (value !== undefined) this.#known.put(key, value);
    return value;
  }

  page(range: Range, limit: number): Entry[] {
    return this.#base.page(range, limit);
  }
}
