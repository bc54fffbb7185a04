import type { AsyncCommit, Entry, Key, Range } from "./kv.ts";
import { OrderedKeys, type PendingWrites, pageTouches, type Snapshot } from "./overlay.ts";

/**
 * Keys of commits that were acknowledged before their sync. A reader of such a key waits for the sync: a read
 * shows every write acknowledged before it, and nothing that a power cut can undo.
 */
export class UnsyncedKeys implements PendingWrites {
  readonly #keys = new Set<Key>();
  readonly #ordered = new OrderedKeys();
  readonly #waits: (() => Promise<unknown>)[] = [];

  add(keys: readonly Key[], durable: () => Promise<unknown>): void {
    for (const key of keys) {
      if (this.#keys.has(key)) continue;
      this.#keys.add(key);
      this.#ordered.add(key);
    }
    this.#waits.push(durable);
  }

  /** Requests the sync. Resolves when every commit is durable or undone. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#waits.map((durable) => durable()));
  }

  get(key: Key): null | undefined {
    return this.#keys.has(key) ? null : undefined;
  }

  hasIn(from: Key, to: Key): boolean {
    return this.#ordered.hasIn(from, to);
  }

  keysIn(from: Key, to: Key): Key[] {
    return this.#ordered.keysIn(from, to);
  }
}

/** A read has met an unsynced key: it runs again after the sync. */
export class NotYetDurable extends Error {
  override readonly name = "NotYetDurable";
}

/** A committed state whose reader must not miss the commits acknowledged after it. */
export class WatchedSnapshot implements Snapshot {
  readonly #base: Snapshot;
  readonly #unsynced: readonly UnsyncedKeys[];

  constructor(base: Snapshot, unsynced: readonly UnsyncedKeys[]) {
    this.#base = base;
    this.#unsynced = unsynced;
  }

  get(key: Key): Buffer | undefined {
    for (const keys of this.#unsynced) if (keys.get(key) === null) throw new NotYetDurable();
    return this.#base.get(key);
  }

  page(range: Range, limit: number): Entry[] {
    const page = this.#base.page(range, limit);
    if (pageTouches(this.#unsynced, range, page, limit)) throw new NotYetDurable();
    return page;
  }
}

const isDurable = (): Promise<void> => Promise.resolve();

/** `commitAsync` of an engine that waits for the sync. */
export async function alreadyDurable<T>(written: Promise<T>): Promise<AsyncCommit<T>> {
  return { value: await written, durable: isDurable };
}
