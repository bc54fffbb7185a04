import type { Key, Range } from "../kv.ts";
import { KeyReader, packKey, packOpenText, prefixEnd, prefixRange } from "./pack.ts";

/**
 * Shares by name: ("fs", account, name). The record holds the id of the share's contents, and everything below is
 * keyed by that id: a share deleted and made again starts empty.
 */
export function shareKey(account: string, name: string): Key {
  return packKey(["fs", account, name]);
}

/** Shares of an account whose names begin with `prefix`, from the name `from` on. */
export function sharesRange(account: string, prefix: string, from: string | undefined): Range {
  const open = packOpenText(["fs", account], prefix);
  const start = from === undefined ? open : shareKey(account, from);
  return { from: start > open ? start : open, to: prefixEnd(open) };
}

/** The name in a key of `shareKey` or `deletedShareKey`. */
export function nameOfShareKey(key: Key): string {
  return new KeyReader(key).skipText().skipText().text();
}

/** Deleted shares that can be had back: ("fz", account, name, deletion). */
export function deletedShareKey(account: string, name: string, deletion: bigint): Key {
  return packKey(["fz", account, name, deletion]);
}

export function deletedSharesRange(account: string, prefix: string, from: string | undefined): Range {
  const open = packOpenText(["fz", account], prefix);
  const start = from === undefined ? open : packKey(["fz", account, from]);
  return { from: start > open ? start : open, to: prefixEnd(open) };
}

export function deletionOfKey(key: Key): bigint {
  return new KeyReader(key).skipText().skipText().skipText().whole();
}

/** Snapshots of a share, oldest first: ("fp", share, time). */
export function snapshotKey(share: bigint, time: bigint): Key {
  return packKey(["fp", share, time]);
}

export function snapshotsOf(share: bigint): Range {
  return prefixRange(packKey(["fp", share]));
}

export function timeOfSnapshotKey(key: Key): bigint {
  return new KeyReader(key).skipText().skipWhole().whole();
}

/** Bytes used in a share: ("fu", share). */
export function usageKey(share: bigint): Key {
  return packKey(["fu", share]);
}

/** Security descriptors of a share, by what they say: ("fa", share, high, low). */
export function permissionKey(share: bigint, high: bigint, low: bigint): Key {
  return packKey(["fa", share, high, low]);
}

export function permissionsOf(share: bigint): Range {
  return prefixRange(packKey(["fa", share]));
}

/* What a share holds. These four families keep earlier versions for snapshots: see services/file/versions.ts. */

/** Every call makes some keys of one share: the beginning they have in common is kept from one to the next. */
class SharePrefix {
  readonly #family: string;
  #share = -1n;
  #prefix: Key = "";

  constructor(family: string) {
    this.#family = family;
  }

  of(share: bigint): Key {
    if (share !== this.#share) {
      this.#prefix = packKey([this.#family, share]);
      this.#share = share;
    }
    return this.#prefix;
  }
}

const entryPrefix = new SharePrefix("fe");
const inodePrefix = new SharePrefix("fn");
const rangePrefix = new SharePrefix("fr");
const easPrefix = new SharePrefix("fx");

/** What lies in a directory, in the order of listings: ("fe", share, directory, folded name). */
export function entryKey(share: bigint, directory: bigint, folded: string): Key {
  return entryPrefix.of(share) + packKey([directory, folded]);
}

export function entriesRange(
  share: bigint,
  directory: bigint,
  prefix: string,
  from: string | undefined,
): Range {
  const open = packOpenText(["fe", share, directory], prefix);
  const start = from === undefined ? open : entryKey(share, directory, from);
  return { from: start > open ? start : open, to: prefixEnd(open) };
}

export function foldedOfEntryKey(key: Key): string {
  return new KeyReader(key).skipText().skipWhole().skipWhole().text();
}

/** Named streams of a file or directory: ("fd", share, file or directory, folded name). No listing shows them. */
export function streamKey(share: bigint, inode: bigint, folded: string): Key {
  return packKey(["fd", share, inode, folded]);
}

export function streamsOfInode(share: bigint, inode: bigint): Range {
  return prefixRange(packKey(["fd", share, inode]));
}

/** Files and directories by their id, and named streams by theirs: ("fn", share, node). The root directory is node 0. */
export function inodeKey(share: bigint, inode: bigint): Key {
  return inodePrefix.of(share) + packKey([inode]);
}

/** Extended attributes of a file or directory that has some: ("fx", share, node). */
export function easKey(share: bigint, inode: bigint): Key {
  return easPrefix.of(share) + packKey([inode]);
}

/** What was written of a file's content, by offset: ("fr", share, content, offset). */
export function rangeKey(share: bigint, content: bigint, offset: number): Key {
  return rangePrefix.of(share) + packKey([content, offset]);
}

export function rangesOf(share: bigint, content: bigint, from: number, to: number): Range {
  return { from: rangeKey(share, content, from), to: rangeKey(share, content, to) };
}

export function allRangesOf(share: bigint, content: bigint): Range {
  return prefixRange(packKey(["fr", share, content]));
}

export function offsetOfRangeKey(key: Key): number {
  return Number(new KeyReader(key).skipText().skipWhole().skipWhole().whole());
}

const VERSIONS = packKey(["fv"]);
const LAST_EPOCH = packKey([(1n << 64n) - 1n]);
const EPOCH_BYTES = 8;

/** An earlier version of a record: ("fv") + its key + the epoch of the last snapshot that sees it. */
export function versionKey(key: Key, epoch: bigint): Key {
  return VERSIONS + key + packKey([epoch]);
}

/** Versions of one record that snapshots from `epoch` on see. */
export function versionsFrom(key: Key, epoch: bigint): Range {
  return { from: versionKey(key, epoch), to: `${VERSIONS}${key}${LAST_EPOCH}\0` };
}

/** Versions of every record in a range. */
export function versionsOfRange({ from, to }: Range): Range {
  return { from: VERSIONS + from, to: VERSIONS + to };
}

/** The record a version belongs to, and its epoch. */
export function readVersionKey(key: Key): { readonly key: Key; readonly epoch: bigint } {
  const at = key.length - EPOCH_BYTES;
  return { key: key.slice(VERSIONS.length, at), epoch: new KeyReader(key.slice(at)).whole() };
}

/** Which versions belong to an epoch, so that deleting a snapshot finds them: ("fw", share, epoch) + key. */
export function epochIndexKey(share: bigint, epoch: bigint, key: Key): Key {
  return packKey(["fw", share, epoch]) + key;
}

export function epochIndexOf(share: bigint, epoch: bigint): Range {
  return prefixRange(packKey(["fw", share, epoch]));
}

export function epochIndexOfShare(share: bigint): Range {
  return prefixRange(packKey(["fw", share]));
}

export function keyOfEpochIndex(key: Key): Key {
  return key.slice(packKey(["fw", 0n, 0n]).length);
}

/** Live records of a share, family by family, and their versions. */
export function contentsOfShare(share: bigint): readonly Range[] {
  const live = ["fe", "fn", "fr", "fx", "fd"].map((family) => prefixRange(packKey([family, share])));
  return [...live, ...live.map(versionsOfRange)];
}

/** What nobody names any more, for a chore to take apart: ("fg", revision). */
export function garbageKey(revision: bigint): Key {
  return packKey(["fg", revision]);
}

export const GARBAGE: Range = prefixRange(packKey(["fg"]));

/** Deleted shares by the time their retention ends: ("fy", time, deletion). */
export function purgeKey(time: number, deletion: bigint): Key {
  return packKey(["fy", time, deletion]);
}

export function purgesUntil(time: number): Range {
  return { from: packKey(["fy"]), to: packKey(["fy", time + 1]) };
}

/** Shares that are marked as opened by SMB clients: ("fm", share) = where the record is. */
export function openedShareKey(share: bigint): Key {
  return packKey(["fm", share]);
}

export const OPENED_SHARES: Range = prefixRange(packKey(["fm"]));

export function shareOfOpenedKey(key: Key): bigint {
  return new KeyReader(key).skipText().whole();
}

/* The ephemeral key space: what SMB clients have open, and REST calls that must not meet them halfway. */

/** Open handles of a share, file by file: ("ho", share, node, handle). */
export function handleKey(share: bigint, inode: bigint, handle: bigint): Key {
  return packKey(["ho", share, inode, handle]);
}

export function handlesOfInode(share: bigint, inode: bigint): Range {
  return prefixRange(packKey(["ho", share, inode]));
}

export function handlesOfShare(share: bigint): Range {
  return prefixRange(packKey(["ho", share]));
}

export function readHandleKey(key: Key): {
  readonly share: bigint;
  readonly inode: bigint;
  readonly handle: bigint;
} {
  const reader = new KeyReader(key).skipText();
  return { share: reader.whole(), inode: reader.whole(), handle: reader.whole() };
}

/** Byte-range locks of a handle: ("hb", share, node, handle). */
export function locksKey(share: bigint, inode: bigint, handle: bigint): Key {
  return packKey(["hb", share, inode, handle]);
}

export function locksOfInode(share: bigint, inode: bigint): Range {
  return prefixRange(packKey(["hb", share, inode]));
}

/** Files to be removed when their last handle closes: ("hd", share, node). */
export function deletePendingKey(share: bigint, inode: bigint): Key {
  return packKey(["hd", share, inode]);
}

export function deletePendingOf(share: bigint): Range {
  return prefixRange(packKey(["hd", share]));
}

export function inodeOfDeletePendingKey(key: Key): bigint {
  return new KeyReader(key).skipText().skipWhole().whole();
}

/** REST calls, and writes by handle, under way on a file of an opened share: ("hr", share, node, access). */
export function restAccessKey(share: bigint, inode: bigint, access: bigint): Key {
  return packKey(["hr", share, inode, access]);
}

export function restAccessesOfInode(share: bigint, inode: bigint): Range {
  return prefixRange(packKey(["hr", share, inode]));
}

export function restAccessesOfShare(share: bigint): Range {
  return prefixRange(packKey(["hr", share]));
}

/** Byte-range locks that wait for writes under way on a file: ("hw", share, node, handle). */
export function pendingLockKey(share: bigint, inode: bigint, handle: bigint): Key {
  return packKey(["hw", share, inode, handle]);
}

export function pendingLocksOfInode(share: bigint, inode: bigint): Range {
  return prefixRange(packKey(["hw", share, inode]));
}

/** A share whose mark is being taken away: ("hc", share). */
export function closingShareKey(share: bigint): Key {
  return packKey(["hc", share]);
}

/** Directories that are being moved, with all that lies below them: ("ht", share, directory, access). */
export function movingTreeKey(share: bigint, directory: bigint, access: bigint): Key {
  return packKey(["ht", share, directory, access]);
}

export function movingTreesOf(share: bigint): Range {
  return prefixRange(packKey(["ht", share]));
}

export function directoryOfMovingKey(key: Key): bigint {
  return new KeyReader(key).skipText().skipWhole().whole();
}

/** Processes that serve SMB clients: ("hp", owner). */
export function livenessKey(owner: string): Key {
  return packKey(["hp", owner]);
}

/** Calls and opens that need caches of SMB clients gone: ("hk", share, node, request). */
export function cacheBreakKey(share: bigint, inode: bigint, request: bigint): Key {
  return packKey(["hk", share, inode, request]);
}

export const CACHE_BREAKS: Range = prefixRange(packKey(["hk"]));

export function inodeOfCacheBreakKey(key: Key): { readonly share: bigint; readonly inode: bigint } {
  const reader = new KeyReader(key).skipText();
  return { share: reader.whole(), inode: reader.whole() };
}
