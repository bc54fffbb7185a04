import type { Key, Range } from "../kv.ts";
import { KeyReader, packKey, prefixRange } from "./pack.ts";

/** A place in an extent. The first place of a slice is its identity for ever. */
export interface Place {
  readonly extent: bigint;
  readonly offset: number;
}

/**
 * Slices of an extent, in the order of the file: ("xs", extent, offset). The first place of a slice has its
 * home record; the place that compaction moved it to has a guest record that names the home.
 */
export const sliceKey = ({ extent, offset }: Place): Key => packKey(["xs", extent, offset]);
export const slicesOfExtent = (extent: bigint): Range => prefixRange(packKey(["xs", extent]));

export function placeOfSliceKey(key: Key): Place {
  const reader = new KeyReader(key).skipText();
  return { extent: reader.whole(), offset: Number(reader.whole()) };
}

/** One record for each extent: ("xe", extent). */
export const extentKey = (extent: bigint): Key => packKey(["xe", extent]);
export const ALL_EXTENTS: Range = prefixRange(packKey(["xe"]));

/** Sealed extents with dead bytes, so that the reclaimer need not read all extents: ("xd", extent). */
export const wornExtentKey = (extent: bigint): Key => packKey(["xd", extent]);
export const WORN_EXTENTS: Range = prefixRange(packKey(["xd"]));

/** The extent of an "xe" or "xd" key. */
export const extentOfKey = (key: Key): bigint => new KeyReader(key).skipText().whole();

/** The last extent id. Ids are never reused: home records outlive the file of their extent. */
export const LAST_EXTENT_KEY: Key = packKey(["xn"]);

/* The ephemeral key space: agreement of the processes that share the directory on removing a file. */

/** The extents about to be removed: a request to every process. */
export const REMOVAL_REQUEST_KEY: Key = packKey(["xq"]);

/** The answer of each process; also the list of processes there are: ("xp", owner). */
export const removalAnswerKey = (owner: string): Key => packKey(["xp", owner]);
export const REMOVAL_ANSWERS: Range = prefixRange(packKey(["xp"]));
export const ownerOfAnswerKey = (key: Key): string => new KeyReader(key).skipText().text();
