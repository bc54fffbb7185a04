import { LIMITS } from "../base/limits.ts";
import { type ExtentShape, type Slice, storedBytes } from "./format.ts";
import type { Spot, WritableExtent } from "./writable-extent.ts";

export interface Appended {
  readonly slices: Slice[];
  readonly length: number;
  /** The slices are in a durable record now, or never will be: their extents may be reclaimed. */
  release(): void;
}

/** The slices of one append as they grow, and its references to the extents that hold them. */
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
    // The offset of chunk i of a slice is computed, so only full chunks can have a successor.
    const isNext =
      last !== undefined &&
      last.extent === extent.id &&
      last.length % this.#shape.chunkBytes === 0 &&
      last.offset + storedBytes(last.length, this.#shape) === offset;
    if (isNext) this.slices[this.slices.length - 1] = { ...last, length: last.length + length };
    else this.slices.push({ extent: extent.id, offset, length });
  }

  /** A bound function: callers pass it on without the object. */
  readonly release = (): void => {
    for (const extent of this.#extents) {
      this.#extents.delete(extent);
      extent.unref();
      this.#released(extent);
    }
  };
}

/** The writes of one append in flight. Their number is bounded, which bounds the memory of the append. */
export class InFlightWrites {
  readonly #writes = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  async add(write: Promise<void>): Promise<void> {
    const tracked = write
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#writes.delete(tracked));
    this.#writes.add(tracked);
    while (this.#writes.size > LIMITS.writeBuffersInFlightMax) await Promise.race(this.#writes);
    this.#throwFailure();
  }

  /** Resolves when all writes have ended, and throws the first failure. */
  async finish(): Promise<void> {
    await this.settle();
    this.#throwFailure();
  }

  /** Resolves when all writes have ended, whatever their outcome. */
  async settle(): Promise<void> {
    await Promise.all(this.#writes);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
