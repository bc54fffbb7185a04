import { KeyReader, packKey, packOpenText, prefixEnd, prefixRange } from "./pack.js";
/**
 * Shares by name: ("fs", account, name). The record holds the id of the share's contents, and everything below is
 * keyed by that id: a share deleted and made again starts empty.
 */
export function shareKey(account, name) {
    return packKey(["fs", account, name]);
}
/** Shares of an account whose names begin with `prefix`, from the name `from` on. */
export function sharesRange(account, prefix, from) {
    const open = packOpenText(["fs", account], prefix);
    const start = from === undefined ? open : shareKey(account, from);
    return { from: start > open ? start : open, to: prefixEnd(open) };
}
/** The name in a key of `shareKey` or `deletedShareKey`. */
export function nameOfShareKey(key) {
    return new KeyReader(key).skipText().skipText().text();
}
/** Deleted shares that can be had back: ("fz", account, name, deletion). */
export function deletedShareKey(account, name, deletion) {
    return packKey(["fz", account, name, deletion]);
}
export function deletedSharesRange(account, prefix, from) {
    const open = packOpenText(["fz", account], prefix);
    const start = from === undefined ? open : packKey(["fz", account, from]);
    return { from: start > open ? start : open, to: prefixEnd(open) };
}
export function deletionOfKey(key) {
    return new KeyReader(key).skipText().skipText().skipText().whole();
}
/** Snapshots of a share, oldest first: ("fp", share, time). */
export function snapshotKey(share, time) {
    return packKey(["fp", share, time]);
}
export function snapshotsOf(share) {
    return prefixRange(packKey(["fp", share]));
}
export function timeOfSnapshotKey(key) {
    return new KeyReader(key).skipText().skipWhole().whole();
}
/** Bytes used in a share: ("fu", share). */
export function usageKey(share) {
    return packKey(["fu", share]);
}
/** Security descriptors of a share, by what they say: ("fa", share, high, low). */
export function permissionKey(share, high, low) {
    return packKey(["fa", share, high, low]);
}
export function permissionsOf(share) {
    return prefixRange(packKey(["fa", share]));
}
/* What a share holds. These three families keep earlier versions for snapshots: see services/file/versions.ts. */
/** What lies in a directory, in the order of listings: ("fe", share, directory, folded name). */
export function entryKey(share, directory, folded) {
    return packKey(["fe", share, directory, folded]);
}
export function entriesRange(share, directory, prefix, from) {
    const open = packOpenText(["fe", share, directory], prefix);
    const start = from === undefined ? open : entryKey(share, directory, from);
    return { from: start > open ? start : open, to: prefixEnd(open) };
}
export function foldedOfEntryKey(key) {
    return new KeyReader(key).skipText().skipWhole().skipWhole().text();
}
/** Files and directories by their id: ("fn", share, node). The root directory is node 0. */
export function nodeKey(share, node) {
    return packKey(["fn", share, node]);
}
/** What was written of a file's content, by offset: ("fr", share, content, offset). */
export function rangeKey(share, content, offset) {
    return packKey(["fr", share, content, offset]);
}
export function rangesOf(share, content, from, to) {
    return { from: rangeKey(share, content, from), to: rangeKey(share, content, to) };
}
export function allRangesOf(share, content) {
    return prefixRange(packKey(["fr", share, content]));
}
export function offsetOfRangeKey(key) {
    return Number(new KeyReader(key).skipText().skipWhole().skipWhole().whole());
}
const VERSIONS = packKey(["fv"]);
const LAST_EPOCH = packKey([(1n << 64n) - 1n]);
const EPOCH_BYTES = 8;
/** An earlier version of a record: ("fv") + its key + the epoch of the last snapshot that sees it. */
export function versionKey(key, epoch) {
    return VERSIONS + key + packKey([epoch]);
}
/** Versions of one record that snapshots from `epoch` on see. */
export function versionsFrom(key, epoch) {
    return { from: versionKey(key, epoch), to: `${VERSIONS}${key}${LAST_EPOCH}\0` };
}
/** Versions of every record in a range. */
export function versionsOfRange({ from, to }) {
    return { from: VERSIONS + from, to: VERSIONS + to };
}
/** The record a version belongs to, and its epoch. */
export function readVersionKey(key) {
    const at = key.length - EPOCH_BYTES;
    return { key: key.slice(VERSIONS.length, at), epoch: new KeyReader(key.slice(at)).whole() };
}
/** Which versions belong to an epoch, so that deleting a snapshot finds them: ("fw", share, epoch) + key. */
export function epochIndexKey(share, epoch, key) {
    return packKey(["fw", share, epoch]) + key;
}
export function epochIndexOf(share, epoch) {
    return prefixRange(packKey(["fw", share, epoch]));
}
export function epochIndexOfShare(share) {
    return prefixRange(packKey(["fw", share]));
}
export function keyOfEpochIndex(key) {
    return key.slice(packKey(["fw", 0n, 0n]).length);
}
/** Live records of a share, family by family, and their versions. */
export function contentsOfShare(share) {
    const live = ["fe", "fn", "fr"].map((family) => prefixRange(packKey([family, share])));
    return [...live, ...live.map(versionsOfRange)];
}
/** What nobody names any more, for a chore to take apart: ("fg", revision). */
export function garbageKey(revision) {
    return packKey(["fg", revision]);
}
export const GARBAGE = prefixRange(packKey(["fg"]));
/** Deleted shares by the time their retention ends: ("fy", time, deletion). */
export function purgeKey(time, deletion) {
    return packKey(["fy", time, deletion]);
}
export function purgesUntil(time) {
    return { from: packKey(["fy"]), to: packKey(["fy", time + 1]) };
}
/** Shares that are marked as opened by SMB clients: ("fm", share) = where the record is. */
export function openedShareKey(share) {
    return packKey(["fm", share]);
}
export const OPENED_SHARES = prefixRange(packKey(["fm"]));
export function shareOfOpenedKey(key) {
    return new KeyReader(key).skipText().whole();
}
/* The ephemeral key space: what SMB clients have open, and REST calls that must not meet them halfway. */
/** Open handles of a share, file by file: ("ho", share, node, handle). */
export function handleKey(share, node, handle) {
    return packKey(["ho", share, node, handle]);
}
export function handlesOfNode(share, node) {
    return prefixRange(packKey(["ho", share, node]));
}
export function handlesOfShare(share) {
    return prefixRange(packKey(["ho", share]));
}
export function readHandleKey(key) {
    const reader = new KeyReader(key).skipText();
    return { share: reader.whole(), node: reader.whole(), handle: reader.whole() };
}
/** Byte-range locks of a handle: ("hb", share, node, handle). */
export function locksKey(share, node, handle) {
    return packKey(["hb", share, node, handle]);
}
export function locksOfNode(share, node) {
    return prefixRange(packKey(["hb", share, node]));
}
/** Files to be removed when their last handle closes: ("hd", share, node). */
export function deletePendingKey(share, node) {
    return packKey(["hd", share, node]);
}
export function deletePendingOf(share) {
    return prefixRange(packKey(["hd", share]));
}
export function nodeOfDeletePendingKey(key) {
    return new KeyReader(key).skipText().skipWhole().whole();
}
/** REST calls under way on a file of an opened share: ("hr", share, node, access). */
export function restAccessKey(share, node, access) {
    return packKey(["hr", share, node, access]);
}
export function restAccessesOfNode(share, node) {
    return prefixRange(packKey(["hr", share, node]));
}
export function restAccessesOfShare(share) {
    return prefixRange(packKey(["hr", share]));
}
/** A share whose mark is being taken away: ("hc", share). */
export function closingShareKey(share) {
    return packKey(["hc", share]);
}
