import type { Slice } from "../../extents/format.ts";
import { type Place } from "../../store/keys/payload.ts";
import type { Reader } from "../../store/kv.ts";
/** A slice whose bytes lie in the extent that was walked. */
export interface Resident {
    readonly home: Place;
    readonly slice: Slice;
}
/** The referenced slices whose bytes lie in this extent, in the order of the file. */
export declare function walkExtent(read: Reader, extent: bigint): AsyncGenerator<Resident>;
