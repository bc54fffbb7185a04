import type { Clock, Instant } from "../base/clock.ts";
import type { Entry, Key, Range } from "./kv.ts";
import type { RawReader } from "./long-keys.ts";
import type { Snapshot } from "./overlay.ts";

/** A reader over one committed state. */
export class SnapshotReader implements RawReader {
  readonly isSynchronous = true;
  readonly #snapshot: Snapshot;
  readonly #clock: Clock;
  #now: Instant | undefined;

  constructor(snapshot: Snapshot, clock: Clock) {
    this.#snapshot = snapshot;
    this.#clock = clock;
  }

  get(key: Key): Buffer | undefined {
    return this.#snapshot.get(key);
  }

  getMany(keys: readonly Key[]): (Buffer | undefined)[] {
    return keys.map((key) => this.#snapshot.get(key));
  }

  page(range: Range, limit: number): Entry[] {
    return this.#snapshot.page(range, limit);
  }

  now(): Instant {
    this.#now ??= this.#clock.now();
    return this.#now;
  }
}
