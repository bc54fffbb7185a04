import type { Clock, Instant } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";
import type { Revision, RevisionSource } from "../base/revision.ts";
import type { Entry, Key, Range } from "./kv.ts";
import type { RawWriter } from "./long-keys.ts";
import { layeredPage, type Overlay, type Snapshot } from "./overlay.ts";
import type { ValueCache } from "./value-cache.ts";

/** Runs one transaction after another. It writes into a batch and reads from it and from the layers below. */
export class TransactionWriter implements RawWriter {
  readonly isSynchronous = true;
  readonly #clock: Clock;
  readonly #revisions: RevisionSource;
  readonly #cache: ValueCache;
  readonly #copies = new Slabs();
  #batch!: Overlay;
  #committing: Overlay | undefined;
  #snapshot!: Snapshot;
  #now: Instant | undefined;
  highest: Revision = 0n;

  constructor(clock: Clock, revisions: RevisionSource, cache: ValueCache) {
    this.#clock = clock;
    this.#revisions = revisions;
    this.#cache = cache;
  }

  begin(batch: Overlay, committing: Overlay | undefined, snapshot: Snapshot): void {
    this.#batch = batch;
    this.#committing = committing;
    this.#snapshot = snapshot;
    this.#now = undefined;
    this.highest = 0n;
  }

  get(key: Key): Buffer | undefined {
    let pending = this.#batch.get(key);
    if (pending === undefined) pending = this.#committing?.get(key);
    if (pending !== undefined) return pending === null ? undefined : Buffer.from(pending);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return Buffer.from(cached);
    const value = this.#snapshot.get(key);
    if (value !== undefined) this.#cache.put(key, value);
    return value;
  }

  getMany(keys: readonly Key[]): (Buffer | undefined)[] {
    return keys.map((key) => this.get(key));
  }

  page(range: Range, limit: number): Entry[] {
    const layers = this.#committing === undefined ? [this.#batch] : [this.#batch, this.#committing];
    return layeredPage(layers, this.#snapshot, range, limit);
  }

  now(): Instant {
    this.#now ??= this.#clock.now();
    return this.#now;
  }

  put(key: Key, value: Uint8Array): void {
    // A copy: the caller may reuse its buffer before the commit.
    this.#batch.set(key, this.#copies.copyOf(value));
  }

  delete(key: Key): void {
    this.#batch.set(key, null);
  }

  revision(above?: Revision): Revision {
    this.highest = this.#revisions.next(above);
    return this.highest;
  }
}

/** Copies values into slabs: fewer allocations, and the database looks up each slab's address once. */
class Slabs {
  #slab = Buffer.allocUnsafeSlow(LIMITS.slabBytes);
  #used = 0;

  copyOf(value: Uint8Array): Buffer {
    const { length } = value;
    if (length > LIMITS.slabBytes / 8) return Buffer.from(value);
    if (this.#used + length > LIMITS.slabBytes) {
      this.#slab = Buffer.allocUnsafeSlow(LIMITS.slabBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    this.#slab.set(value, start);
    return this.#slab.subarray(start, this.#used);
  }
}
