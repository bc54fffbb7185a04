import type { Spot } from "./writable-extent.ts";

/**
 * Room that one append claims for several of its pieces at once. Pieces are written while the body still arrives; were
 * room claimed piece by piece, those of appends that run side by side would lie between one another, and each be a slice
 * of its own with a record of its own.
 */
export class Reservation {
  readonly #spot: Spot;
  readonly #bytes: number;
  #usedBytes = 0;

  constructor(spot: Spot, bytes: number) {
    this.#spot = spot;
    this.#bytes = bytes;
  }

  /** The next `bytes` of the room; undefined when they do not fit: what is left of it stays dead. */
  take(bytes: number): Spot | undefined {
    if (this.#usedBytes + bytes > this.#bytes) return undefined;
    const spot = { extent: this.#spot.extent, offset: this.#spot.offset + this.#usedBytes };
    this.#usedBytes += bytes;
    return spot;
  }

  /** Nobody writes here any more and no slice will point here. */
  release(): void {
    this.#spot.extent.release(this.#spot.offset, this.#bytes);
  }
}
