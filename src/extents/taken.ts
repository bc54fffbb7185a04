import { LIMITS } from "../base/limits.ts";
import { type ExtentShape, type Slice, storedBytes } from "./format.ts";
import type { Spot, WritableExtent } from "./writable-extent.ts";

export interface Appended {
  readonly slices: Slice[];
  readonly length: number;
  /** The slices are in a durable record now, or never will be. Until then their extents stay open to reclaiming. */
  release(): void;
}

/** The slices of one append as they grow, and its hold on the extents they are in. */
export class AppendedSlices implements Appended {
  readonly slices: Slice[] = [];
  length = 0;
  readonly #shape: ExtentShape;
  readonly #released: (extent: WritableExtent) => void;
  readonly #extents = new Set<WritableExtent>();

  constructor(shape: ExtentShape, released: (extent: WritableExtent) => void) {
    this.#shape = shape;
    this.#released = released;
  }

  ref(extent: WritableExtent): void {
    if (this.#extents.has(extent)) return;
    this.#extents.add(extent);
    extent.ref();
  }

  add({ extent, offset }: Spot, length: number): void {
    this.length += length;
    const last = this.slices.at(-1);
    // Chunk i of a slice must be where it can be computed: only full chunks can have neighbours.
    const isNext =
      last !== undefined &&
      last.extent === extent.id &&
      last.length % this.#shape.chunkBytes === 0 &&
      last.offset + storedBytes(last.length, this.#shape) === offset;
    if (isNext) this.slices[this.slices.length - 1] = { ...last, length: last.length + length };
    else this.slices.push({ extent: extent.id, offset, length });
  }

  /** Not a method: callers take it out of the object. */
  readonly release = (): void => {
    for (const extent of this.#extents) {
      this.#extents.delete(extent);
      extent.unref();
      this.#released(extent);
    }
  };
}

/** The writes of one append that have begun: a few at a time, so memory stays bounded by them. */
export class Flight {
  readonly #writes = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  async add(write: Promise<void>): Promise<void> {
    const tracked = write
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#writes.delete(tracked));
    this.#writes.add(tracked);
    while (this.#writes.size > LIMITS.piecesInFlightMax) await Promise.race(this.#writes);
    this.#throwFailure();
  }

  async land(): Promise<void> {
    await this.settle();
    this.#throwFailure();
  }

  /** Waits for all of them, whatever becomes of them. */
  async settle(): Promise<void> {
    await Promise.all(this.#writes);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
