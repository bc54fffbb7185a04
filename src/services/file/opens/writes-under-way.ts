/**
 * Writes by handles between the check of byte-range locks and their commit. Locks are kept in the ephemeral space
 * and content in the durable one, and no transaction spans both: a lock is given only when the writes that were
 * let through before it have ended, so its holder never sees one of them arrive late.
 *
 * Handles that can lock each other out are served by one process (docs/decisions/0022-smb-in-one-process.md), so
 * its memory is the place for this.
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

  /** Ends when every write that is under way now has ended, however it ended. */
  async ended(node: NodeName): Promise<void> {
    const here = this.#byNode.get(nameOf(node));
    if (here !== undefined) await Promise.allSettled([...here]);
  }
}

interface NodeName {
  readonly share: bigint;
  readonly node: bigint;
}

function nameOf({ share, node }: NodeName): string {
  return `${share} ${node}`;
}
