/** Extents that readers in flight may read from; their files are not removed. */
export class Pins {
  readonly #counts = new Map<bigint, number>();

  has(extent: bigint): boolean {
    return this.#counts.has(extent);
  }

  get count(): number {
    return this.#counts.size;
  }

  /** Returns a function that unpins them, once. */
  pin(extents: Iterable<bigint>): () => void {
    const pinned = new Set(extents);
    for (const extent of pinned) this.#counts.set(extent, (this.#counts.get(extent) ?? 0) + 1);
    return () => {
      for (const extent of pinned) {
        const count = this.#counts.get(extent)! - 1;
        if (count === 0) this.#counts.delete(extent);
        else this.#counts.set(extent, count);
      }
      pinned.clear();
    };
  }
}
