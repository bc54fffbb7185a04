import type { Key } from "../kv.ts";

/**
 * Records that nearly every request reads (its container, its table, its share), and that are nearly always the same
 * bytes: what they say is remembered by the bytes themselves, so there is nothing to keep up to date. Comparing is
 * cheaper than unpacking, and since records are never changed in place, one can be given out many times.
 */
const CACHED_MAX = 1_024;

export class RecordDecodeCache<T> {
  readonly #unpack: (bytes: Buffer) => T;
  readonly #known = new Map<Key, { readonly bytes: Buffer; readonly record: T }>();

  constructor(unpack: (bytes: Buffer) => T) {
    this.#unpack = unpack;
  }

  unpack(key: Key, bytes: Buffer): T {
    const known = this.#known.get(key);
    if (known?.bytes.equals(bytes) === true) return known.record;
    const record = this.#unpack(bytes);
    if (this.#known.size >= CACHED_MAX) this.#known.clear();
    this.#known.set(key, { bytes: Buffer.from(bytes), record });
    return record;
  }
}
