import { assert } from "../../base/assert.ts";
import { then } from "../../base/maybe-promise.ts";
import { Refusal } from "../../base/refusals.ts";
import { type Revision, revisionAt } from "../../base/revision.ts";
import { entriesRange, entryKey, inodeKey } from "../../store/keys/file.ts";
import type { MaybePromise, Writer } from "../../store/kv.ts";
import {
  type EntryRecord,
  entryRecord,
  type InodeRecord,
  inodeRecord,
  type ShareRecord,
} from "../../store/records/file.ts";
import { ATTRIBUTE } from "./attributes.ts";
import { removeEas } from "./extended-attributes.ts";
import { foldName } from "./names.ts";
import {
  bodyOf,
  deleteVersioned,
  putVersioned,
  removeVersioned,
  replaceVersioned,
  type View,
} from "./versions.ts";

/** Files and directories: finding them by path, and writing their records. */
export const ROOT: bigint = 0n;

export interface Inode {
  readonly id: bigint;
  readonly record: InodeRecord;
}

export type MutableInode = { -readonly [Name in keyof InodeRecord]: InodeRecord[Name] };

/** The record of a new, empty file or directory. The revision that creates it names its content. */
export function newInode(
  kind: InodeRecord["kind"],
  {
    parent,
    name,
    revision,
    now,
  }: Pick<InodeRecord, "parent" | "name" | "revision"> & { readonly now: bigint },
): MutableInode {
  return {
    kind,
    parent,
    name,
    revision,
    attributes: kind === "directory" ? ATTRIBUTE.Directory : ATTRIBUTE.Archive,
    createdAt: now,
    writtenAt: now,
    changedAt: now,
    size: 0,
    content: revision,
    dataRevision: revision,
  };
}

/** Where a path ends: the parent directory, the last name, and the entry there, if any. */
export interface Place {
  readonly parent: bigint;
  /** The directories on the path, from the root down to the parent. */
  readonly above: readonly bigint[];
  readonly name: string;
  readonly entry: EntryRecord | undefined;
  /** The whole path as stored; the last name as the client spelled it when there is no entry. */
  readonly path: readonly string[];
}

const entryOf = (stored: Buffer | undefined): EntryRecord | undefined => stored && entryRecord.unpack(stored);

function findEntry(
  view: View,
  share: bigint,
  directory: bigint,
  name: string,
): MaybePromise<EntryRecord | undefined> {
  return then(view.get(entryKey(share, directory, foldName(name))), entryOf);
}

type Walked = Pick<Place, "above"> & { readonly names: readonly string[] };

/** The directories that the path leads through, the root first. */
async function walk(view: View, share: bigint, path: readonly string[]): Promise<Walked> {
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
  const name = path.at(-1)!;
  const find = ({ above, names }: Walked): MaybePromise<Place> => {
    const parent = above.at(-1)!;
    return then(findEntry(view, share, parent, name), (entry) => ({
      parent,
      above,
      name,
      entry,
      path: [...names, entry?.name ?? name],
    }));
  };
  return path.length === 1 ? find({ above: [ROOT], names: [] }) : walk(view, share, path).then(find);
}

export async function findInode(view: View, share: bigint, id: bigint): Promise<InodeRecord | undefined> {
  const stored = await view.get(inodeKey(share, id));
  return stored && inodeRecord.unpack(stored);
}

export function readInode(view: View, share: bigint, id: bigint): MaybePromise<InodeRecord> {
  return then(view.get(inodeKey(share, id)), (stored) => {
    assert(stored !== undefined, () => `an entry names inode ${id}, which does not exist`);
    return inodeRecord.unpack(stored);
  });
}

/** The inode of an id that an entry or a handle names. */
export function inodeAt(view: View, share: bigint, id: bigint): MaybePromise<Inode> {
  const record = readInode(view, share, id);
  return record instanceof Promise ? record.then((read) => ({ id, record: read })) : { id, record };
}

/** The file or directory at a path. Every request runs this, so it makes no promise that it does not need. */
export function findAny(view: View, share: bigint, path: readonly string[]): MaybePromise<Inode> {
  return findBelow(view, share, path, 0, ROOT);
}

function findBelow(
  view: View,
  share: bigint,
  path: readonly string[],
  start: number,
  directory: bigint,
): MaybePromise<Inode> {
  let id = directory;
  for (let i = start; i < path.length; i++) {
    const isLast = i === path.length - 1;
    const stored = view.get(entryKey(share, id, foldName(path[i]!)));
    if (stored instanceof Promise)
      return stored.then((read) => findBelow(view, share, path, i + 1, targetOf(read, isLast)));
    id = targetOf(stored, isLast);
  }
  return inodeAt(view, share, id);
}

/** The inode that one name of a path leads to. A file in the middle of a path counts as missing. */
function targetOf(stored: Buffer | undefined, isLast: boolean): bigint {
  const entry = entryOf(stored);
  if (!isLast && entry?.kind !== "directory") throw new Refusal("ParentNotFound");
  if (entry === undefined) throw new Refusal("ResourceNotFound");
  return entry.inode;
}

/** The file or directory at a path; refused when it is of the other kind. */
export function findKind(
  view: View,
  share: bigint,
  path: readonly string[],
  kind: InodeRecord["kind"],
): MaybePromise<Inode> {
  return then(findAny(view, share, path), (inode) => {
    if (inode.record.kind !== kind) throw new Refusal("ResourceTypeMismatch");
    return inode;
  });
}

/**
 * For reads, where the other kind counts as missing: clients probe whether a path is a file or a directory.
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

export function putInode(
  write: Writer,
  share: ShareRecord,
  id: bigint,
  record: InodeRecord,
  since: Revision,
): MaybePromise<void> {
  const key = inodeKey(share.id, id);
  // The id of a new inode is the revision that creates it.
  return replaceVersioned(write, share, {
    key,
    packed: inodeRecord.pack(record, since),
    isNew: id === since,
  });
}

export async function removeInode(write: Writer, share: ShareRecord, id: bigint): Promise<void> {
  const key = inodeKey(share.id, id);
  const stored = await write.get(key);
  if (stored === undefined) return;
  if (inodeRecord.hasEas(bodyOf(stored))) await removeEas(write, share, id);
  deleteVersioned(write, share, key, stored);
}

export function putEntry(
  write: Writer,
  share: ShareRecord,
  directory: bigint,
  entry: EntryRecord,
  since: Revision,
): MaybePromise<void> {
  const key = entryKey(share.id, directory, foldName(entry.name));
  const packed = entryRecord.pack(entry, since);
  return replaceVersioned(write, share, { key, packed, isNew: entry.inode === since });
}

export function removeEntry(
  write: Writer,
  share: ShareRecord,
  directory: bigint,
  name: string,
): Promise<void> {
  return removeVersioned(write, share, entryKey(share.id, directory, foldName(name)));
}

/**
 * An SMB client has created, renamed or deleted something in this directory, so its times change, as on any
 * file system. Its ETag stays: to REST a directory is modified only by requests to itself.
 */
export async function touchDirectory(write: Writer, share: ShareRecord, id: bigint): Promise<void> {
  const key = inodeKey(share.id, id);
  const stored = await write.get(key);
  if (stored === undefined) return;
  const record = inodeRecord.unpack(bodyOf(stored));
  const now = ticksOf(write);
  // Several changes in one millisecond write the record once.
  if (record.writtenAt === now && record.changedAt === now) return;
  const packed = inodeRecord.pack({ ...record, writtenAt: now, changedAt: now }, write.revision());
  putVersioned(write, share, { key, packed, stored });
}

/** The path of an inode, from the root down. */
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

/** The time of a transaction in the ticks that file times are stored in. */
export function ticksOf(write: Pick<Writer, "now">): bigint {
  return revisionAt(write.now());
}
