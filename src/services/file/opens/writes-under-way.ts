/**
 * Writes by handles between the check of byte-range locks and their commit. Locks are kept in the ephemeral space
 * and content in the durable one, and no transaction spans both: a lock is placed while no write is under way that was
 * let through before it, so nobody sees the lock and then such a write arrive. Writes that come while a lock waits
 * are checked when it has been placed; without that, a lock might never come to its turn.
 *
 * This is the memory of one process, and serves its own clients. Where clients of other nodes have the file open too,
 * each write is also a record in the ephemeral space (held.ts). One that began before anybody else was there is in
 * this memory only: whoever opens the file at another node asks this one, which answers when it has ended.
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

  /** Runs when every write that is under way now has ended; those that come later wait for it. */
  async alone<T>(inode: InodeName, placeLock: () => Promise<T>): Promise<T> {
    const here = this.#at(inode);
    const before = here.locks;
    const work = (async () => {
      await before;
      await Promise.allSettled([...here.writes]);
      return placeLock();
    })();
    const turn = work.then(nothing, nothing);
    here.locks = turn;
    try {
      return await work;
    } finally {
      if (here.locks === turn) here.locks = undefined;
      this.#leave(inode, here);
    }
  }

  /** Ends when every write that is under way now has ended, however it ended. Undefined: there is none. */
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
  /** Resolves when the locks that wait or are being placed have been; each waits for the one before it. */
  locks: Promise<void> | undefined;
}

function nothing(): void {}

interface InodeName {
  readonly share: bigint;
  readonly inode: bigint;
}

function nameOf({ share, inode }: InodeName): string {
  return `${share} ${inode}`;
}
