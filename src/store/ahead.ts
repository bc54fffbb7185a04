import type { AsyncCommit, Entry, Key, Range } from "./kv.ts";
import { OrderedKeys, type PendingWrites, pageTouches, type Snapshot } from "./overlay.ts";

/**
 * What transactions that were answered ahead of the disk have written. Whoever reads one of these keys before they
 * are durable has to wait for them: a read shows what was answered before it, and nothing that a power cut can take back.
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

  /** Sees to it that they get to the disk. Every one of them is there then, or was given up. */
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

/** A read has come upon something that was answered and is not on the disk yet: it begins anew when it is. */
export class NotYetDurable extends Error {
  override readonly name = "NotYetDurable";
}

/** A committed state, for a reader who must not miss what was answered after it. */
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

/** For an engine that answers nothing ahead. */
export async function alreadyDurable<T>(written: Promise<T>): Promise<AsyncCommit<T>> {
  return { value: await written, durable: isDurable };
}
