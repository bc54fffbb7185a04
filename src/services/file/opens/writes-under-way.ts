/**
 * Writes by handles between the check of byte-range locks and their commit. Locks are kept in the ephemeral space
 * and content in the durable one, and no transaction spans both: a lock is given only when the writes that were
 * let through before it have ended, so its holder never sees one of them arrive late.
 *
 * This is the memory of one process, and serves its own clients. Where clients of other nodes have the file open too,
 * each write is also a record in the ephemeral space (held.ts). One that began before anybody else was there is in
 * this memory only: whoever opens the file at another node asks this one, which answers when it has ended.
 */
export class WritesUnderWay {
  readonly #byNode = new Map<string, Set<Promise<unknown>>>();

  async run<T>(node: NodeName, write: () => Promise<T>): Promise<T> {
    const name = nameOf(node);
    let here = this.#byNode.get(name);
    if (here === undefined) {
      here = new Set();
      this.#byNode.set(name, here);
    }
    const work = write();
    here.add(work);
    try {
      return await work;
    } finally {
      here.delete(work);
      if (here.size === 0) this.#byNode.delete(name);
    }
  }

  /** Ends when every write that is under way now has ended, however it ended. Undefined: there is none. */
  ended(node: NodeName): Promise<unknown> | undefined {
    const here = this.#byNode.get(nameOf(node));
    return here && Promise.allSettled([...here]);
  }
}

interface NodeName {
  readonly share: bigint;
  readonly node: bigint;
}

function nameOf({ share, node }: NodeName): string {
  return `${share} ${node}`;
}
