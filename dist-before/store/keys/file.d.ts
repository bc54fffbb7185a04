import type { Key, Range } from "../kv.ts";
/**
 * Shares by name: ("fs", account, name). The record holds the id of the share's contents, and everything below is
 * keyed by that id: a share deleted and made again starts empty.
 */
export declare function shareKey(account: string, name: string): Key;
/** Shares of an account whose names begin with `prefix`, from the name `from` on. */
export declare function sharesRange(account: string, prefix: string, from: string | undefined): Range;
/** The name in a key of `shareKey` or `deletedShareKey`. */
export declare function nameOfShareKey(key: Key): string;
/** Deleted shares that can be had back: ("fz", account, name, deletion). */
export declare function deletedShareKey(account: string, name: string, deletion: bigint): Key;
export declare function deletedSharesRange(account: string, prefix: string, from: string | undefined): Range;
export declare function deletionOfKey(key: Key): bigint;
/** Snapshots of a share, oldest first: ("fp", share, time). */
export declare function snapshotKey(share: bigint, time: bigint): Key;
export declare function snapshotsOf(share: bigint): Range;
export declare function timeOfSnapshotKey(key: Key): bigint;
/** Bytes used in a share: ("fu", share). */
export declare function usageKey(share: bigint): Key;
/** Security descriptors of a share, by what they say: ("fa", share, high, low). */
export declare function permissionKey(share: bigint, high: bigint, low: bigint): Key;
export declare function permissionsOf(share: bigint): Range;
/** What lies in a directory, in the order of listings: ("fe", share, directory, folded name). */
export declare function entryKey(share: bigint, directory: bigint, folded: string): Key;
export declare function entriesRange(share: bigint, directory: bigint, prefix: string, from: string | undefined): Range;
export declare function foldedOfEntryKey(key: Key): string;
/** Files and directories by their id: ("fn", share, node). The root directory is node 0. */
export declare function nodeKey(share: bigint, node: bigint): Key;
/** What was written of a file's content, by offset: ("fr", share, content, offset). */
export declare function rangeKey(share: bigint, content: bigint, offset: number): Key;
export declare function rangesOf(share: bigint, content: bigint, from: number, to: number): Range;
export declare function allRangesOf(share: bigint, content: bigint): Range;
export declare function offsetOfRangeKey(key: Key): number;
/** An earlier version of a record: ("fv") + its key + the epoch of the last snapshot that sees it. */
export declare function versionKey(key: Key, epoch: bigint): Key;
/** Versions of one record that snapshots from `epoch` on see. */
export declare function versionsFrom(key: Key, epoch: bigint): Range;
/** Versions of every record in a range. */
export declare function versionsOfRange({ from, to }: Range): Range;
/** The record a version belongs to, and its epoch. */
export declare function readVersionKey(key: Key): {
    readonly key: Key;
    readonly epoch: bigint;
};
/** Which versions belong to an epoch, so that deleting a snapshot finds them: ("fw", share, epoch) + key. */
export declare function epochIndexKey(share: bigint, epoch: bigint, key: Key): Key;
export declare function epochIndexOf(share: bigint, epoch: bigint): Range;
export declare function epochIndexOfShare(share: bigint): Range;
export declare function keyOfEpochIndex(key: Key): Key;
/** Live records of a share, family by family, and their versions. */
export declare function contentsOfShare(share: bigint): readonly Range[];
/** What nobody names any more, for a chore to take apart: ("fg", revision). */
export declare function garbageKey(revision: bigint): Key;
export declare const GARBAGE: Range;
/** Deleted shares by the time their retention ends: ("fy", time, deletion). */
export declare function purgeKey(time: number, deletion: bigint): Key;
export declare function purgesUntil(time: number): Range;
/** Shares that are marked as opened by SMB clients: ("fm", share) = where the record is. */
export declare function openedShareKey(share: bigint): Key;
export declare const OPENED_SHARES: Range;
export declare function shareOfOpenedKey(key: Key): bigint;
/** Open handles of a share, file by file: ("ho", share, node, handle). */
export declare function handleKey(share: bigint, node: bigint, handle: bigint): Key;
export declare function handlesOfNode(share: bigint, node: bigint): Range;
export declare function handlesOfShare(share: bigint): Range;
export declare function readHandleKey(key: Key): {
    readonly share: bigint;
    readonly node: bigint;
    readonly handle: bigint;
};
/** Byte-range locks of a handle: ("hb", share, node, handle). */
export declare function locksKey(share: bigint, node: bigint, handle: bigint): Key;
export declare function locksOfNode(share: bigint, node: bigint): Range;
/** Files to be removed when their last handle closes: ("hd", share, node). */
export declare function deletePendingKey(share: bigint, node: bigint): Key;
export declare function deletePendingOf(share: bigint): Range;
export declare function nodeOfDeletePendingKey(key: Key): bigint;
/** REST calls under way on a file of an opened share: ("hr", share, node, access). */
export declare function restAccessKey(share: bigint, node: bigint, access: bigint): Key;
export declare function restAccessesOfNode(share: bigint, node: bigint): Range;
export declare function restAccessesOfShare(share: bigint): Range;
/** A share whose mark is being taken away: ("hc", share). */
export declare function closingShareKey(share: bigint): Key;
