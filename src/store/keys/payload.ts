import type { Key, Range } from "../kv.ts";
import { KeyReader, packKey, prefixRange } from "./pack.ts";

/** A place in an extent. The first one a slice was written to is its identity for ever. */
export interface Place {
  readonly extent: bigint;
  readonly offset: number;
}

/**
 * What lies in an extent, in the order of the file: ("xs", extent, offset). At the place a slice was first written
 * its home record, at the place compaction moved it to a guest record that names the home.
 */
export function sliceKey({ extent, offset }: Place): Key {
  return packKey(["xs", extent, offset]);
}

export function slicesOfExtent(extent: bigint): Range {
  return prefixRange(packKey(["xs", extent]));
}

export function placeOfSliceKey(key: Key): Place {
  const reader = new KeyReader(key).skipText();
  return { extent: reader.whole(), offset: Number(reader.whole()) };
}

/** One record for each extent: ("xe", extent). */
export function extentKey(extent: bigint): Key {
  return packKey(["xe", extent]);
}

export const ALL_EXTENTS: Range = prefixRange(packKey(["xe"]));

/** Sealed extents that the reclaimer should look at, so that it need not read all of them: ("xd", extent). */
export function wornExtentKey(extent: bigint): Key {
  return packKey(["xd", extent]);
}

export const WORN_EXTENTS: Range = prefixRange(packKey(["xd"]));

/** The extent of an "xe" or "xd" key. */
export function extentOfKey(key: Key): bigint {
  return new KeyReader(key).skipText().whole();
}

/** The last extent id given. Ids are never given twice: home records outlive the file of their extent. */
export const LAST_EXTENT_KEY: Key = packKey(["xn"]);

/* The ephemeral key space: how processes that share the directory agree on removing a file. */

/** The extents about to be removed: the question to every process. */
export const REMOVAL_REQUEST_KEY: Key = packKey(["xq"]);

/** The answer of each process; also the list of processes there are: ("xp", owner). */
export function removalAnswerKey(owner: string): Key {
  return packKey(["xp", owner]);
}

export const REMOVAL_ANSWERS: Range = prefixRange(packKey(["xp"]));

export function ownerOfAnswerKey(key: Key): string {
  return new KeyReader(key).skipText().text();
}
