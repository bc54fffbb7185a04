import { KeyReader, packKey, prefixRange } from "./pack.js";
/**
 * What lies in an extent, in the order of the file: ("xs", extent, offset). At the place a slice was first written
 * its home record, at the place compaction moved it to a guest record that names the home.
 */
export function sliceKey({ extent, offset }) {
    return packKey(["xs", extent, offset]);
}
export function slicesOfExtent(extent) {
    return prefixRange(packKey(["xs", extent]));
}
export function placeOfSliceKey(key) {
    const reader = new KeyReader(key).skipText();
    return { extent: reader.whole(), offset: Number(reader.whole()) };
}
/** One record for each extent: ("xe", extent). */
export function extentKey(extent) {
    return packKey(["xe", extent]);
}
export const ALL_EXTENTS = prefixRange(packKey(["xe"]));
/** Sealed extents that the reclaimer should look at, so that it need not read all of them: ("xd", extent). */
export function wornExtentKey(extent) {
    return packKey(["xd", extent]);
}
export const WORN_EXTENTS = prefixRange(packKey(["xd"]));
/** The extent of an "xe" or "xd" key. */
export function extentOfKey(key) {
    return new KeyReader(key).skipText().whole();
}
/** The last extent id given. Ids are never given twice: home records outlive the file of their extent. */
export const LAST_EXTENT_KEY = packKey(["xn"]);
/* The ephemeral key space: how processes that share the directory agree on removing a file. */
/** The extents about to be removed: the question to every process. */
export const REMOVAL_REQUEST_KEY = packKey(["xq"]);
/** The answer of each process; also the list of processes there are: ("xp", owner). */
export function removalAnswerKey(owner) {
    return packKey(["xp", owner]);
}
export const REMOVAL_ANSWERS = prefixRange(packKey(["xp"]));
export function ownerOfAnswerKey(key) {
    return new KeyReader(key).skipText().text();
}
