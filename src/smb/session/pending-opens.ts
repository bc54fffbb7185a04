/**
 * Opens in progress: their handle may be placed, and their client has no cache yet. A client of another
 * process that opens the file meanwhile asks for caches to be broken and finds none, so these opens must not
 * get one afterwards.
 */
export class PendingOpens {
  readonly #all = new Set<PendingOpen>();

  get size(): number {
    return this.#all.size;
  }

  begin(): PendingOpen {
    const open = new PendingOpen((ended) => this.#all.delete(ended));
    this.#all.add(open);
    return open;
  }

  /** Another process needs the caches of a file broken. */
  disturb(share: bigint, inode: bigint): void {
    for (const open of this.#all) open.disturbed.add(nameOf(share, inode));
  }

  disturbAll(): void {
    for (const open of this.#all) open.isLost = true;
  }
}

export class PendingOpen {
  readonly disturbed = new Set<string>();
  isLost = false;
  readonly #remove: (open: PendingOpen) => void;

  constructor(remove: (open: PendingOpen) => void) {
    this.#remove = remove;
  }

  /** True when the client may get a cache, within this tick of the event loop. */
  end(share: bigint, inode: bigint): boolean {
    this.#remove(this);
    return !this.isLost && !this.disturbed.has(nameOf(share, inode));
  }

  fail(): void {
    this.#remove(this);
  }
}

function nameOf(share: bigint, inode: bigint): string {
  return `${share} ${inode}`;
}
