import { assert } from "../../base/assert.ts";
import { Refusal } from "../../base/refusals.ts";
import { type Revision, revisionAt } from "../../base/revision.ts";
import { entriesRange, entryKey, inodeKey } from "../../store/keys/file.ts";
import type { Key, MaybePromise, Writer } from "../../store/kv.ts";
import {
  type EntryRecord,
  entryRecord,
  type InodeRecord,
  inodeRecord,
  type ShareRecord,
} from "../../store/records/file.ts";
import { removeEas } from "./extended-attributes.ts";
import { foldName } from "./names.ts";
import { volumeOf } from "./shares.ts";
import { bodyOf, deleteVersioned, putVersioned, type View } from "./versions.ts";

/** Files and directories: finding them by path, and writing their records. */
export const ROOT: bigint = 0n;

/** A node with its id. */
export interface Inode {
  readonly id: bigint;
  readonly record: InodeRecord;
}

/** Where a path ends: its parent directory, the last name, and what is there. */
export interface Place {
  readonly parent: bigint;
  /** The directories on the way, from the root down to the parent. */
  readonly above: readonly bigint[];
  readonly name: string;
  readonly entry: EntryRecord | undefined;
  /** The whole path, spelled as it is stored; the last name as it was given when nothing is there. */
  readonly path: readonly string[];
}

export function findEntry(
  view: View,
  share: bigint,
  directory: bigint,
  name: string,
): MaybePromise<EntryRecord | undefined> {
  const stored = view.get(entryKey(share, directory, foldName(name)));
  return stored instanceof Promise ? stored.then(entryOf) : entryOf(stored);
}

function entryOf(stored: Buffer | undefined): EntryRecord | undefined {
  return stored === undefined ? undefined : entryRecord.unpack(stored);
}

/** The directories that the path leads through, the root first. A file on the way is as good as nothing. */
async function walk(
  view: View,
  share: bigint,
  path: readonly string[],
): Promise<{ readonly above: bigint[]; readonly names: string[] }> {
  const above = [ROOT];
  const names: string[] = [];
  for (let i = 0; i < path.length - 1; i++) {
    const entry = await findEntry(view, share, above[i]!, path[i]!);
    if (entry?.kind !== "directory") throw new Refusal("ParentNotFound");
    above.push(entry.inode);
    names.push(entry.name);
  }
  return { above, names };
}

/** The place a path names; the root has none. */
export function findPlace(view: View, share: bigint, path: readonly string[]): MaybePromise<Place> {
  assert(path.length > 0, "the root directory has no place in another");
  const at = (above: readonly bigint[], names: readonly string[]): MaybePromise<Place> => {
    const parent = above.at(-1)!;
    const name = path.at(-1)!;
    const placed = (entry: EntryRecord | undefined): Place => ({
      parent,
      above,
      name,
      entry,
      path: [...names, entry?.name ?? name],
    });
    const entry = findEntry(view, share, parent, name);
    return entry instanceof Promise ? entry.then(placed) : placed(entry);
  };
  if (path.length === 1) return at([ROOT], []);
  return walk(view, share, path).then(({ above, names }) => at(above, names));
}

export async function findInode(view: View, share: bigint, id: bigint): Promise<InodeRecord | undefined> {
  const stored = await view.get(inodeKey(share, id));
  return stored === undefined ? undefined : inodeRecord.unpack(stored);
}

export function readInode(view: View, share: bigint, id: bigint): MaybePromise<InodeRecord> {
  const stored = view.get(inodeKey(share, id));
  const unpacked = (bytes: Buffer | undefined): InodeRecord => {
    assert(bytes !== undefined, () => `an entry names node ${id}, which is not there`);
    return inodeRecord.unpack(bytes);
  };
  return stored instanceof Promise ? stored.then(unpacked) : unpacked(stored);
}

/** The node at a path, whatever it is. Every call comes here: what is at hand is used without a promise. */
export function findAny(view: View, share: bigint, path: readonly string[]): MaybePromise<Inode> {
  let id = ROOT;
  for (let i = 0; i < path.length; i++) {
    const stored = view.get(entryKey(share, id, foldName(path[i]!)));
    if (stored instanceof Promise) return findLater(view, share, path, { stored, i });
    id = passed(stored, i === path.length - 1);
  }
  return inodeAt(view, share, id);
}

async function findLater(
  view: View,
  share: bigint,
  path: readonly string[],
  first: { readonly stored: Promise<Buffer | undefined>; readonly i: number },
): Promise<Inode> {
  let id = passed(await first.stored, first.i === path.length - 1);
  for (let i = first.i + 1; i < path.length; i++) {
    id = passed(await view.get(entryKey(share, id, foldName(path[i]!))), i === path.length - 1);
  }
  return inodeAt(view, share, id);
}

/** The node that one name of a path leads to. */
function passed(stored: Buffer | undefined, isLast: boolean): bigint {
  const entry = entryOf(stored);
  if (!isLast && entry?.kind !== "directory") throw new Refusal("ParentNotFound");
  if (entry === undefined) throw new Refusal("ResourceNotFound");
  return entry.inode;
}

function inodeAt(view: View, share: bigint, id: bigint): MaybePromise<Inode> {
  const record = readInode(view, share, id);
  return record instanceof Promise ? record.then((read) => ({ id, record: read })) : { id, record };
}

export function findFile(view: View, share: bigint, path: readonly string[]): MaybePromise<Inode> {
  const inode = findAny(view, share, path);
  return inode instanceof Promise ? inode.then(asFile) : asFile(inode);
}

function asFile(inode: Inode): Inode {
  if (inode.record.kind !== "file") throw new Refusal("ResourceTypeMismatch");
  return inode;
}

export async function findDirectory(view: View, share: bigint, path: readonly string[]): Promise<Inode> {
  const inode = await findAny(view, share, path);
  if (inode.record.kind !== "directory") throw new Refusal("ResourceTypeMismatch");
  return inode;
}

/**
 * For those who only look: asked as what it is not, a node is not there. Clients find out so whether a path is a
 * file or a directory.
 */
export async function lookUp(
  view: View,
  share: bigint,
  path: readonly string[],
  kind: InodeRecord["kind"],
): Promise<Inode> {
  const inode = await findAny(view, share, path);
  if (inode.record.kind !== kind) throw new Refusal("ResourceNotFound");
  return inode;
}

export async function isEmptyDirectory(view: View, share: bigint, directory: bigint): Promise<boolean> {
  for await (const _ of view.range({ ...entriesRange(share, directory, "", undefined), limit: 1 })) {
    return false;
  }
  return true;
}

/** What a snapshot may still see. Without one nobody does, and it need not be read. */
function formerOf(write: Writer, share: ShareRecord, key: Key): MaybePromise<Buffer | undefined> {
  return share.epoch === undefined ? undefined : write.get(key);
}

export function putInode(
  write: Writer,
  share: ShareRecord,
  id: bigint,
  record: InodeRecord,
  since: Revision,
): MaybePromise<void> {
  const key = inodeKey(share.id, id);
  const put = (stored: Buffer | undefined): void => {
    putVersioned(write, volumeOf(share), { key, packed: inodeRecord.pack(record, since), stored });
  };
  // A node that has its id from this revision was not there before.
  const stored = id === since ? undefined : formerOf(write, share, key);
  return stored instanceof Promise ? stored.then(put) : put(stored);
}

export async function removeInode(write: Writer, share: ShareRecord, id: bigint): Promise<void> {
  const key = inodeKey(share.id, id);
  const stored = await write.get(key);
  if (stored === undefined) return;
  if (inodeRecord.hasEas(bodyOf(stored))) await removeEas(write, share, id);
  deleteVersioned(write, volumeOf(share), key, stored);
}

export function putEntry(
  write: Writer,
  share: ShareRecord,
  directory: bigint,
  entry: EntryRecord,
  since: Revision,
): MaybePromise<void> {
  const key = entryKey(share.id, directory, foldName(entry.name));
  const put = (stored: Buffer | undefined): void => {
    putVersioned(write, volumeOf(share), { key, packed: entryRecord.pack(entry, since), stored });
  };
  const stored = entry.inode === since ? undefined : formerOf(write, share, key);
  return stored instanceof Promise ? stored.then(put) : put(stored);
}

export async function removeEntry(
  write: Writer,
  share: ShareRecord,
  directory: bigint,
  name: string,
): Promise<void> {
  const key = entryKey(share.id, directory, foldName(name));
  const stored = await write.get(key);
  if (stored !== undefined) deleteVersioned(write, volumeOf(share), key, stored);
}

/**
 * An SMB client has made, renamed or removed something in this directory: its times move, as on any file system. Its
 * ETag does not: to REST a directory is modified by what is done to itself.
 */
export async function touchDirectory(write: Writer, share: ShareRecord, id: bigint): Promise<void> {
  const key = inodeKey(share.id, id);
  const stored = await write.get(key);
  if (stored === undefined) return;
  const record = inodeRecord.unpack(bodyOf(stored));
  const now = ticksOf(write);
  // Many names in one millisecond leave one time.
  if (record.writtenAt === now && record.changedAt === now) return;
  const packed = inodeRecord.pack({ ...record, writtenAt: now, changedAt: now }, write.revision());
  putVersioned(write, volumeOf(share), { key, packed, stored });
}

/** Names from the root down, for those who know only the id. */
export async function pathOf(view: View, share: bigint, id: bigint): Promise<string[]> {
  const names: string[] = [];
  for (let at = id; at !== ROOT; ) {
    const record = await findInode(view, share, at);
    if (record === undefined) return names;
    names.unshift(record.name);
    at = record.parent;
  }
  return names;
}

/** The wall clock of a transaction in the ticks that file times are kept in. */
export function ticksOf(write: Pick<Writer, "now">): bigint {
  return revisionAt(write.now());
}
