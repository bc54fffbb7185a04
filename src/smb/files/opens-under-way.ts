/**
 * Opens on their way: their handle may be placed, and their client has no cache yet. Who comes at another node meanwhile
 * asks for caches to go, finds none, and must not be surprised by one a moment later.
 */
export class OpensUnderWay {
  readonly #all = new Set<OpenUnderWay>();

  get size(): number {
    return this.#all.size;
  }

  begin(): OpenUnderWay {
    const open = new OpenUnderWay((one) => this.#all.delete(one));
    this.#all.add(open);
    return open;
  }

  /** Somebody elsewhere needs the caches of a file gone. */
  disturb(share: bigint, node: bigint): void {
    for (const open of this.#all) open.disturbed.add(nameOf(share, node));
  }

  disturbAll(): void {
    for (const open of this.#all) open.isLost = true;
  }
}

export class OpenUnderWay {
  readonly disturbed = new Set<string>();
  isLost = false;
  readonly #forget: (open: OpenUnderWay) => void;

  constructor(forget: (open: OpenUnderWay) => void) {
    this.#forget = forget;
  }

  /** Ends it. True when nobody came: a cache may be given in this turn of the event loop. */
  end(share: bigint, node: bigint): boolean {
    this.#forget(this);
    return !this.isLost && !this.disturbed.has(nameOf(share, node));
  }

  fail(): void {
    this.#forget(this);
  }
}

function nameOf(share: bigint, node: bigint): string {
  return `${share} ${node}`;
}
