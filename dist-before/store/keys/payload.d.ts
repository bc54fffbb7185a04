import type { Key, Range } from "../kv.ts";
/** A place in an extent. The first one a slice was written to is its identity for ever. */
export interface Place {
    readonly extent: bigint;
    readonly offset: number;
}
/**
 * What lies in an extent, in the order of the file: ("xs", extent, offset). At the place a slice was first written
 * its home record, at the place compaction moved it to a guest record that names the home.
 */
export declare function sliceKey({ extent, offset }: Place): Key;
export declare function slicesOfExtent(extent: bigint): Range;
export declare function placeOfSliceKey(key: Key): Place;
/** One record for each extent: ("xe", extent). */
export declare function extentKey(extent: bigint): Key;
export declare const ALL_EXTENTS: Range;
/** Sealed extents that the reclaimer should look at, so that it need not read all of them: ("xd", extent). */
export declare function wornExtentKey(extent: bigint): Key;
export declare const WORN_EXTENTS: Range;
/** The extent of an "xe" or "xd" key. */
export declare function extentOfKey(key: Key): bigint;
/** The last extent id given. Ids are never given twice: home records outlive the file of their extent. */
export declare const LAST_EXTENT_KEY: Key;
/** The extents about to be removed: the question to every process. */
export declare const REMOVAL_REQUEST_KEY: Key;
/** The answer of each process; also the list of processes there are: ("xp", owner). */
export declare function removalAnswerKey(owner: string): Key;
export declare const REMOVAL_ANSWERS: Range;
export declare function ownerOfAnswerKey(key: Key): string;
