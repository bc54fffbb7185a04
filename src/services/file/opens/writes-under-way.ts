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
export class WritesUnderWay {
  readonly #byNode = new Map<string, NodeWrites>();

  async run<T>(node: NodeName, write: () => Promise<T>): Promise<T> {
    let here = this.#at(node);
    while (here.locks !== undefined) {
      await here.locks;
      here = this.#at(node);
    }
    const work = write();
    here.writes.add(work);
    try {
      return await work;
    } finally {
      here.writes.delete(work);
      this.#leave(node, here);
    }
  }

  /** Runs when every write that is under way now has ended; those that come later wait for it. */
  async alone<T>(node: NodeName, placeLock: () => Promise<T>): Promise<T> {
    const here = this.#at(node);
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
      this.#leave(node, here);
    }
  }

  /** Ends when every write that is under way now has ended, however it ended. Undefined: there is none. */
  ended(node: NodeName): Promise<unknown> | undefined {
    const writes = this.#byNode.get(nameOf(node))?.writes;
    return writes && Promise.allSettled([...writes]);
  }

  #at(node: NodeName): NodeWrites {
    const name = nameOf(node);
    let here = this.#byNode.get(name);
    if (here === undefined) {
      here = { writes: new Set(), locks: undefined };
      this.#byNode.set(name, here);
    }
    return here;
  }

  #leave(node: NodeName, here: NodeWrites): void {
    if (here.writes.size === 0 && here.locks === undefined) this.#byNode.delete(nameOf(node));
  }
}

interface NodeWrites {
  readonly writes: Set<Promise<unknown>>;
  /** Resolves when the locks that wait or are being placed have been; each waits for the one before it. */
  locks: Promise<void> | undefined;
}

function nothing(): void {}

interface NodeName {
  readonly share: bigint;
  readonly node: bigint;
}

function nameOf({ share, node }: NodeName): string {
  return `${share} ${node}`;
}
