import type { Key, Range } from "../kv.ts";
import { KeyReader, LastKey, packKey, prefixRange, textRange } from "./pack.ts";

/**
 * Shares by name: ("fs", account, name). The record has the id of the share's contents, which keys everything
 * below, so that a share that is deleted and created again starts empty.
 */
export const shareKey = (account: string, name: string): Key => packKey(["fs", account, name]);

/** Shares of an account whose names begin with `prefix`, from the name `from` on. */
export const sharesRange = (account: string, prefix: string, from: string | undefined): Range =>
  textRange(["fs", account], prefix, from);

/** The name in a key of `shareKey` or `deletedShareKey`. */
export const nameOfShareKey = (key: Key): string => new KeyReader(key).skipText().skipText().text();

/** Soft-deleted shares: ("fz", account, name, deletion). */
export const deletedShareKey = (account: string, name: string, deletion: bigint): Key =>
  packKey(["fz", account, name, deletion]);

export const deletedSharesRange = (account: string, prefix: string, from: string | undefined): Range =>
  textRange(["fz", account], prefix, from);

export const deletionOfKey = (key: Key): bigint =>
  new KeyReader(key).skipText().skipText().skipText().whole();

/** Shares of all accounts: those that exist, or those that are soft-deleted. */
export const allShares = (state: "present" | "deleted"): Range =>
  prefixRange(packKey([state === "present" ? "fs" : "fz"]));

/** Snapshots of a share, oldest first: ("fp", share, time). */
export const snapshotKey = (share: bigint, time: bigint): Key => packKey(["fp", share, time]);
export const snapshotsOf = (share: bigint): Range => prefixRange(packKey(["fp", share]));
export const timeOfSnapshotKey = (key: Key): bigint => new KeyReader(key).skipText().skipWhole().whole();

/** Bytes used in a share: ("fu", share). */
export const usageKey = (share: bigint): Key => packKey(["fu", share]);

/** Security descriptors of a share, by the hash of their text: ("fa", share, high, low). */
export const permissionKey = (share: bigint, high: bigint, low: bigint): Key =>
  packKey(["fa", share, high, low]);
export const permissionsOf = (share: bigint): Range => prefixRange(packKey(["fa", share]));

/* Contents of a share. These families have earlier versions for snapshots: services/file/versions.ts. */

/** The start of the keys of one share: a request makes several of them. */
const entryPrefix = new LastKey((family: "fe", share: bigint) => packKey([family, share]));
const inodePrefix = new LastKey((family: "fn", share: bigint) => packKey([family, share]));
const rangePrefix = new LastKey((family: "fr", share: bigint) => packKey([family, share]));
const easPrefix = new LastKey((family: "fx", share: bigint) => packKey([family, share]));

/** Entries of a directory, in the order of listings: ("fe", share, directory, folded name). */
export const entryKey = (share: bigint, directory: bigint, folded: string): Key =>
  entryPrefix.of("fe", share) + packKey([directory, folded]);

export const entriesRange = (
  share: bigint,
  directory: bigint,
  prefix: string,
  from: string | undefined,
): Range => textRange(["fe", share, directory], prefix, from);

export const foldedOfEntryKey = (key: Key): string =>
  new KeyReader(key).skipText().skipWhole().skipWhole().text();

/** Named streams of a file or directory, which no listing shows: ("fd", share, inode, folded name). */
export const streamKey = (share: bigint, inode: bigint, folded: string): Key =>
  packKey(["fd", share, inode, folded]);
export const streamsOfInode = (share: bigint, inode: bigint): Range =>
  prefixRange(packKey(["fd", share, inode]));

/** Files, directories and named streams by id: ("fn", share, inode). The root directory is inode 0. */
export const inodeKey = (share: bigint, inode: bigint): Key => inodePrefix.of("fn", share) + packKey([inode]);

/** Extended attributes of a file or directory that has some: ("fx", share, inode). */
export const easKey = (share: bigint, inode: bigint): Key => easPrefix.of("fx", share) + packKey([inode]);

/** Written ranges of a file's content, by offset: ("fr", share, content, offset). */
export const rangeKey = (share: bigint, content: bigint, offset: number): Key =>
  rangePrefix.of("fr", share) + packKey([content, offset]);
export const rangesOf = (share: bigint, content: bigint, from: number, to: number): Range => ({
  from: rangeKey(share, content, from),
  to: rangeKey(share, content, to),
});
export const allRangesOf = (share: bigint, content: bigint): Range =>
  prefixRange(packKey(["fr", share, content]));
export const offsetOfRangeKey = (key: Key): number =>
  Number(new KeyReader(key).skipText().skipWhole().skipWhole().whole());

const VERSIONS = packKey(["fv"]);
const LAST_EPOCH = packKey([(1n << 64n) - 1n]);
const EPOCH_BYTES = 8;

/** An earlier version of a record: ("fv") + its key + the epoch of the last snapshot that sees it. */
export const versionKey = (key: Key, epoch: bigint): Key => VERSIONS + key + packKey([epoch]);

/** Versions of one record that snapshots from `epoch` on see. */
export const versionsFrom = (key: Key, epoch: bigint): Range => ({
  from: versionKey(key, epoch),
  to: `${VERSIONS}${key}${LAST_EPOCH}\0`,
});

/** Versions of every record in a range. */
export const versionsOfRange = ({ from, to }: Range): Range => ({ from: VERSIONS + from, to: VERSIONS + to });

/** The record a version belongs to, and its epoch. */
export function readVersionKey(key: Key): { readonly key: Key; readonly epoch: bigint } {
  const at = key.length - EPOCH_BYTES;
  return { key: key.slice(VERSIONS.length, at), epoch: new KeyReader(key.slice(at)).whole() };
}

/** The versions of an epoch, for deleting a snapshot: ("fw", share, epoch) + key. */
export const epochIndexKey = (share: bigint, epoch: bigint, key: Key): Key =>
  packKey(["fw", share, epoch]) + key;
export const epochIndexOf = (share: bigint, epoch: bigint): Range =>
  prefixRange(packKey(["fw", share, epoch]));
export const epochIndexOfShare = (share: bigint): Range => prefixRange(packKey(["fw", share]));
export const keyOfEpochIndex = (key: Key): Key => key.slice(packKey(["fw", 0n, 0n]).length);

/** Live records of a share, family by family, and their versions. */
export function contentsOfShare(share: bigint): readonly Range[] {
  const live = ["fe", "fn", "fr", "fx", "fd"].map((family) => prefixRange(packKey([family, share])));
  return [...live, ...live.map(versionsOfRange)];
}

/** Unreferenced contents, for a background job to free: ("fg", revision). */
export const garbageKey = (revision: bigint): Key => packKey(["fg", revision]);
export const GARBAGE: Range = prefixRange(packKey(["fg"]));

/** Deleted shares by the time their retention ends: ("fy", time, deletion). */
export const purgeKey = (time: number, deletion: bigint): Key => packKey(["fy", time, deletion]);
export const purgesUntil = (time: number): Range => ({
  from: packKey(["fy"]),
  to: packKey(["fy", time + 1]),
});

/** Shares that are marked as opened by SMB clients: ("fm", share) . The record names the share. */
export const openedShareKey = (share: bigint): Key => packKey(["fm", share]);
export const OPENED_SHARES: Range = prefixRange(packKey(["fm"]));
export const shareOfOpenedKey = (key: Key): bigint => new KeyReader(key).skipText().whole();

/* The ephemeral key space: opens of SMB clients, and REST calls that must not overlap with them. */

/** Open handles of a share, file by file: ("ho", share, inode, handle). */
export const handleKey = (share: bigint, inode: bigint, handle: bigint): Key =>
  packKey(["ho", share, inode, handle]);
export const handlesOfInode = (share: bigint, inode: bigint): Range =>
  prefixRange(packKey(["ho", share, inode]));
export const handlesOfShare = (share: bigint): Range => prefixRange(packKey(["ho", share]));

export function readHandleKey(key: Key): {
  readonly share: bigint;
  readonly inode: bigint;
  readonly handle: bigint;
} {
  const reader = new KeyReader(key).skipText();
  return { share: reader.whole(), inode: reader.whole(), handle: reader.whole() };
}

/** Byte-range locks of a handle: ("hb", share, inode, handle). */
export const locksKey = (share: bigint, inode: bigint, handle: bigint): Key =>
  packKey(["hb", share, inode, handle]);
export const locksOfInode = (share: bigint, inode: bigint): Range =>
  prefixRange(packKey(["hb", share, inode]));

/** Files to be removed when their last handle closes: ("hd", share, inode). */
export const deletePendingKey = (share: bigint, inode: bigint): Key => packKey(["hd", share, inode]);
export const deletePendingOf = (share: bigint): Range => prefixRange(packKey(["hd", share]));
export const inodeOfDeletePendingKey = (key: Key): bigint =>
  new KeyReader(key).skipText().skipWhole().whole();

/** REST calls, and writes by handle, in flight on a file of an opened share: ("hr", share, inode, access). */
export const restAccessKey = (share: bigint, inode: bigint, access: bigint): Key =>
  packKey(["hr", share, inode, access]);
export const restAccessesOfInode = (share: bigint, inode: bigint): Range =>
  prefixRange(packKey(["hr", share, inode]));
export const restAccessesOfShare = (share: bigint): Range => prefixRange(packKey(["hr", share]));

/** Byte-range locks that wait for writes in flight on a file: ("hw", share, inode, handle). */
export const pendingLockKey = (share: bigint, inode: bigint, handle: bigint): Key =>
  packKey(["hw", share, inode, handle]);
export const pendingLocksOfInode = (share: bigint, inode: bigint): Range =>
  prefixRange(packKey(["hw", share, inode]));

/** A share whose opened mark is being removed: ("hc", share). */
export const closingShareKey = (share: bigint): Key => packKey(["hc", share]);

/** Directories that are being moved, with their subtrees: ("ht", share, directory, access). */
export const movingTreeKey = (share: bigint, directory: bigint, access: bigint): Key =>
  packKey(["ht", share, directory, access]);
export const movingTreesOf = (share: bigint): Range => prefixRange(packKey(["ht", share]));
export const directoryOfMovingKey = (key: Key): bigint => new KeyReader(key).skipText().skipWhole().whole();

/** Processes that serve SMB clients: ("hp", owner). */
export const livenessKey = (owner: string): Key => packKey(["hp", owner]);

/** Calls and opens that need the caches of SMB clients broken: ("hk", share, inode, request). */
export const cacheBreakKey = (share: bigint, inode: bigint, request: bigint): Key =>
  packKey(["hk", share, inode, request]);
export const CACHE_BREAKS: Range = prefixRange(packKey(["hk"]));

export function inodeOfCacheBreakKey(key: Key): { readonly share: bigint; readonly inode: bigint } {
  const reader = new KeyReader(key).skipText();
  return { share: reader.whole(), inode: reader.whole() };
}
