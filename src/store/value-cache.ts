import { LIMITS } from "../base/limits.ts";
import type { Entry, Key, Range } from "./kv.ts";
import type { Snapshot } from "./overlay.ts";

const SLOTS = 64;

/**
 * Small values of the committed state that transactions read repeatedly, such as the record of a busy queue:
 * a Map lookup costs a fifth of a database lookup. They are valid while no other process may write, so the
 * writer clears the cache whenever it acquires the write lock.
 */
export class ValueCache {
  readonly #values = new Map<Key, Buffer>();
  /** Keys read recently. Only a key read a second time is cached; most never are. */
  readonly #seen: Key[] = new Array(SLOTS).fill("");

  get(key: Key): Buffer | undefined {
    return this.#values.get(key);
  }

  /** Offers a value read from the database. The caller keeps the buffer. */
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

  /** Applies a committed batch. */
  update(writes: ReadonlyMap<Key, Buffer | null>): void {
    const values = this.#values;
    if (values.size === 0) return;
    if (values.size > writes.size) {
      for (const [key, value] of writes) if (values.has(key)) this.#replace(key, value);
      return;
    }
    for (const key of values.keys()) {
      const value = writes.get(key);
      if (value !== undefined) this.#replace(key, value);
    }
  }

  clear(): void {
    this.#values.clear();
  }

  #replace(key: Key, value: Buffer | null): void {
    if (value === null || value.length > LIMITS.cachedValueBytesMax) this.#values.delete(key);
    // A copy: a written value shares a slab with many others, which it would keep in memory.
    else this.#values.set(key, Buffer.from(value));
  }
}

/** Keys of one family differ at their end. (`length - 2` gives NaN in a key of one byte.) */
function slotOf(key: Key): number {
  const { length } = key;
  return (length * 31 + key.charCodeAt(length - 1) * 7 + key.charCodeAt(length - 2)) & (SLOTS - 1);
}

/** A committed state with a cache of the values read repeatedly. */
export class CachedSnapshot implements Snapshot {
  readonly #cache = new ValueCache();
  readonly #base: Snapshot;

  constructor(base: Snapshot) {
    this.#base = base;
  }

  get(key: Key): Buffer | undefined {
    const cached = this.#cache.get(key);
    if (cached !== undefined) return Buffer.from(cached);
    const value = this.#base.get(key);
    if (value !== undefined) this.#cache.put(key, value);
    return value;
  }

  page(range: Range, limit: number): Entry[] {
    return this.#base.page(range, limit);
  }
}
