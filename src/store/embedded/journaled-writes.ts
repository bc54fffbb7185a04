import type { Entry, Key, Range } from "../kv.ts";
import { layeredPage, OrderedKeys, type PendingWrites, pendingIn, type Snapshot } from "../overlay.ts";

interface Version {
  readonly commit: number;
  readonly value: Buffer | null;
  /** The version of the commits before. */
  readonly older: Version | undefined;
}

/** Writes that are in the journal and not in the database, with all versions that a reader may use. */
export class JournaledWrites {
  readonly #newest = new Map<Key, Version>();
  readonly #keys = new OrderedKeys();
  bytes = 0;
  lastCommit = 0;

  get count(): number {
    return this.#newest.size;
  }

  add(commit: number, writes: ReadonlyMap<Key, Buffer | null>): void {
    for (const [key, value] of writes) {
      const older = this.#newest.get(key);
      if (older === undefined) this.#keys.add(key);
      this.#newest.set(key, { commit, value, older });
      this.bytes += key.length + (value?.length ?? 0);
    }
    this.lastCommit = commit;
  }

  /** The state after a commit. */
  at(commit: number): PendingWrites {
    const newest = this.#newest;
    const keys = this.#keys;
    return {
      get(key) {
        let version = newest.get(key);
        while (version !== undefined && version.commit > commit) version = version.older;
        return version?.value;
      },
      hasIn: (from, to) => keys.hasIn(from, to),
      keysIn: (from, to) => keys.keysIn(from, to),
    };
  }

  /** The newest state. */
  forEach(each: (value: Buffer | null, key: Key) => void): void {
    this.#newest.forEach(({ value }, key) => {
      each(value, key);
    });
  }
}

/** A state of the database with the commits after it. */
export class LayeredSnapshot implements Snapshot {
  readonly #layers: readonly PendingWrites[];
  readonly #base: Snapshot;

  constructor(layers: readonly PendingWrites[], base: Snapshot) {
    this.#layers = layers;
    this.#base = base;
  }

  get(key: Key): Buffer | undefined {
    const pending = pendingIn(this.#layers, key);
    if (pending === undefined) return this.#base.get(key);
    // A copy: the caller owns the value.
    return pending === null ? undefined : Buffer.from(pending);
  }

  page(range: Range, limit: number): Entry[] {
    return layeredPage(this.#layers, this.#base, range, limit);
  }
}
