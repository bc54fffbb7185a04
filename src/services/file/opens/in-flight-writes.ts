import type { InodeName } from "../cache-breaks.ts";

/**
 * Writes by handle between the check of byte-range locks and their commit. Locks are in the ephemeral space
 * and content in the durable one, and no transaction spans both. A lock is therefore placed when no write is
 * in flight that was checked before it: a client that sees the lock never sees such a write arrive later.
 * Writes that arrive while a lock waits are checked after it has been placed; otherwise a lock might wait for
 * ever.
 *
 * These are the writes of one process, for its own clients. Where clients of other processes have the file
 * open too, each write also has a record in the ephemeral space (find-by-handle.ts). An earlier write has no
 * such record: an open in another process asks this one, which answers when the write has ended.
 */
export class InFlightWrites {
  readonly #byInode = new Map<string, InodeWrites>();

  async run<T>(inode: InodeName, write: () => Promise<T>): Promise<T> {
    let here = this.#at(inode);
    while (here.locks !== undefined) {
      await here.locks;
      here = this.#at(inode);
    }
    const work = write();
    here.writes.add(work);
    try {
      return await work;
    } finally {
      here.writes.delete(work);
      this.#leave(inode, here);
    }
  }

  /** Runs when every write in flight has ended; later writes wait for it. */
  async alone<T>(inode: InodeName, placeLock: () => Promise<T>): Promise<T> {
    const here = this.#at(inode);
    const before = here.locks;
    const work = (async () => {
      await before;
      await Promise.allSettled([...here.writes]);
      return placeLock();
    })();
    const settled = work.then(nothing, nothing);
    here.locks = settled;
    try {
      return await work;
    } finally {
      if (here.locks === settled) here.locks = undefined;
      this.#leave(inode, here);
    }
  }

  /** Resolves when every write in flight has ended, with or without success. Undefined when there is none. */
  ended(inode: InodeName): Promise<unknown> | undefined {
    const writes = this.#byInode.get(nameOf(inode))?.writes;
    return writes && Promise.allSettled([...writes]);
  }

  #at(inode: InodeName): InodeWrites {
    const name = nameOf(inode);
    let here = this.#byInode.get(name);
    if (here === undefined) {
      here = { writes: new Set(), locks: undefined };
      this.#byInode.set(name, here);
    }
    return here;
  }

  #leave(inode: InodeName, here: InodeWrites): void {
    if (here.writes.size === 0 && here.locks === undefined) this.#byInode.delete(nameOf(inode));
  }
}

interface InodeWrites {
  readonly writes: Set<Promise<unknown>>;
  /** Resolves when the pending locks have been placed; each waits for the one before it. */
  locks: Promise<void> | undefined;
}

function nothing(): void {}

function nameOf({ share, inode }: InodeName): string {
  return `${share} ${inode}`;
}
