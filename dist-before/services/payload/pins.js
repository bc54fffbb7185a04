/** Extents that readers in flight may still read from: their files stay. */
export class Pins {
    #counts = new Map();
    has(extent) {
        return this.#counts.has(extent);
    }
    get count() {
        return this.#counts.size;
    }
    /** Returns what gives them back, once. */
    pin(extents) {
        const pinned = new Set(extents);
        for (const extent of pinned)
            this.#counts.set(extent, (this.#counts.get(extent) ?? 0) + 1);
        return () => {
            for (const extent of pinned) {
                const left = this.#counts.get(extent) - 1;
                if (left === 0)
                    this.#counts.delete(extent);
                else
                    this.#counts.set(extent, left);
            }
            pinned.clear();
        };
    }
}
