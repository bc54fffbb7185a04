import type { Key } from "../kv.ts";

const CACHED_MAX = 1_024;

/**
 * Caches unpacked records that nearly every request reads (its container, table or share). An entry is valid
 * while the stored bytes are the same, and comparing bytes is cheaper than unpacking them. Records are
 * immutable, so callers can share one.
 */
export class RecordDecodeCache<T> {
  readonly #unpack: (bytes: Buffer) => T;
  readonly #cached = new Map<Key, { readonly bytes: Buffer; readonly record: T }>();

  constructor(unpack: (bytes: Buffer) => T) {
    this.#unpack = unpack;
  }

  unpack(key: Key, bytes: Buffer): T {
    const cached = this.#cached.get(key);
    if (cached?.bytes.equals(bytes) === true) return cached.record;
    const record = this.#unpack(bytes);
    if (this.#cached.size >= CACHED_MAX) this.#cached.clear();
    this.#cached.set(key, { bytes: Buffer.from(bytes), record });
    return record;
  }
}
