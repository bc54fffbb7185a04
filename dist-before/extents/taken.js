import { LIMITS } from "../base/limits.js";
import { storedBytes } from "./format.js";
/** The slices of one append as they grow, and its hold on the extents they are in. */
export class Taken {
    slices = [];
    length = 0;
    #shape;
    #released;
    #extents = new Set();
    constructor(shape, released) {
        this.#shape = shape;
        this.#released = released;
    }
    hold(extent) {
        if (this.#extents.has(extent))
            return;
        this.#extents.add(extent);
        extent.hold();
    }
    add({ extent, offset }, length) {
        this.length += length;
        const last = this.slices.at(-1);
        // Chunk i of a slice must be where it can be computed: only full chunks can have neighbours.
        const isNext = last !== undefined &&
            last.extent === extent.id &&
            last.length % this.#shape.chunkBytes === 0 &&
            last.offset + storedBytes(last.length, this.#shape) === offset;
        if (isNext)
            this.slices[this.slices.length - 1] = { ...last, length: last.length + length };
        else
            this.slices.push({ extent: extent.id, offset, length });
    }
    /** Not a method: callers take it out of the object. */
    release = () => {
        for (const extent of this.#extents) {
            this.#extents.delete(extent);
            extent.letGo();
            this.#released(extent);
        }
    };
}
/** The writes of one append that have begun: a few at a time, so memory stays bounded by them. */
export class Flight {
    #writes = new Set();
    #failure;
    async add(write) {
        const tracked = write
            .catch((error) => {
            this.#failure ??= { error };
        })
            .finally(() => this.#writes.delete(tracked));
        this.#writes.add(tracked);
        while (this.#writes.size > LIMITS.piecesInFlightMax)
            await Promise.race(this.#writes);
        this.#throwFailure();
    }
    async land() {
        await this.settle();
        this.#throwFailure();
    }
    /** Waits for all of them, whatever becomes of them. */
    async settle() {
        await Promise.all(this.#writes);
    }
    #throwFailure() {
        if (this.#failure !== undefined)
            throw this.#failure.error;
    }
}
