import { type ExtentShape, type Slice } from "../../extents/format.ts";
import { type Place } from "../../store/keys/payload.ts";
import type { Reader, Writer } from "../../store/kv.ts";
/**
 * Who counts on which slice. The identity of a slice is the place it was first written to; records of blobs and
 * files name that place and nothing else, so compaction changes none of them.
 *
 *   home   ("xs", extent, offset) = { length, refs, at? }    where it was written first
 *   guest  ("xs", extent, offset) = { length, home }         where compaction moved it
 *
 * Everything here happens in the caller's transaction, together with the live bytes of the extents.
 */
export declare class References {
    #private;
    constructor(owner: string, shape: ExtentShape);
    /** The first reference of slices just appended. */
    keep(write: Writer, slices: readonly Slice[]): Promise<void>;
    /** One more reference to each, as a snapshot or a copy makes it. */
    share(write: Writer, slices: readonly Slice[]): Promise<void>;
    /** One reference less to each; with the last one the slice is gone. */
    drop(write: Writer, slices: readonly Slice[]): Promise<void>;
    /**
     * Slices have been copied to new places. Those dropped or moved since are left alone: their copy is dead.
     * Returns how many now live at their new place.
     */
    moved(write: Writer, moves: readonly Move[]): Promise<number>;
}
export interface Move {
    readonly home: Place;
    readonly from: Place;
    readonly to: Place;
    readonly length: number;
}
/** Where the bytes of these slices are in this snapshot, in their order. */
export declare function locate(read: Reader, slices: readonly Slice[]): Promise<Slice[]>;
export declare function isSamePlace(one: Place, other: Place): boolean;
