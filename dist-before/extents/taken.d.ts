import { type ExtentShape, type Slice } from "./format.ts";
import type { Spot, WritableExtent } from "./writable-extent.ts";
export interface Appended {
    readonly slices: Slice[];
    readonly length: number;
    /** The slices are in a durable record now, or never will be. Until then their extents stay open to reclaiming. */
    release(): void;
}
/** The slices of one append as they grow, and its hold on the extents they are in. */
export declare class Taken implements Appended {
    #private;
    readonly slices: Slice[];
    length: number;
    constructor(shape: ExtentShape, released: (extent: WritableExtent) => void);
    hold(extent: WritableExtent): void;
    add({ extent, offset }: Spot, length: number): void;
    /** Not a method: callers take it out of the object. */
    readonly release: () => void;
}
/** The writes of one append that have begun: a few at a time, so memory stays bounded by them. */
export declare class Flight {
    #private;
    add(write: Promise<void>): Promise<void>;
    land(): Promise<void>;
    /** Waits for all of them, whatever becomes of them. */
    settle(): Promise<void>;
}
