/**
 * Opens on their way: their handle may be placed, and their client has no cache yet. Who comes at another node meanwhile
 * asks for caches to go, finds none, and must not be surprised by one a moment later.
 */
export class PendingOpens {
  readonly #all = new Set<PendingOpen>();

  get size(): number {
    return this.#all.size;
  }

  begin(): PendingOpen {
    const open = new PendingOpen((one) => this.#all.delete(one));
    this.#all.add(open);
    return open;
  }

  /** Somebody elsewhere needs the caches of a file gone. */
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
  readonly #forget: (open: PendingOpen) => void;

  constructor(forget: (open: PendingOpen) => void) {
    this.#forget = forget;
  }

  /** Ends it. True when nobody came: a cache may be given in this turn of the event loop. */
  end(share: bigint, inode: bigint): boolean {
    this.#forget(this);
    return !this.isLost && !this.disturbed.has(nameOf(share, inode));
  }

  fail(): void {
    this.#forget(this);
  }
}

function nameOf(share: bigint, inode: bigint): string {
  return `${share} ${inode}`;
}
