import { Refusal } from "../../base/refusals.ts";
import { inodeKey, streamKey, streamsOfInode } from "../../store/keys/file.ts";
import type { Writer } from "../../store/kv.ts";
import {
  type EntryRecord,
  entryRecord,
  type InodeRecord,
  inodeRecord,
  type ShareRecord,
} from "../../store/records/file.ts";
import { findInode, type Inode, putInode, removeInode, ticksOf } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import { foldName } from "./names.ts";
import { discardContent } from "./ranges.ts";
import { changeUsage, volumeOf } from "./shares.ts";
import { deleteVersioned, LiveView, putVersioned, type View } from "./versions.ts";

/**
 * Named streams: content that a file or directory has beside its own (decision 0045).
 *
 * A stream is a node: size, content, handles and locks are kept under an id of its own, by the same code as those of
 * files. It lies in no directory but under its *base*, the file or directory it belongs to, in a family of keys that
 * no listing reads. Times, attributes and security are the base's alone. The base's record says whether it has
 * streams, so nobody looks for them where there are none.
 *
 * REST cannot name them: to it they are a part of the file, and go where it goes.
 */
export interface NamedStream {
  readonly name: string;
  readonly inode: Inode;
}

/** A file or directory with them. */
export interface StreamList {
  readonly base: Inode;
  readonly named: readonly NamedStream[];
}

export async function findStream(
  view: View,
  share: bigint,
  base: Inode,
  name: string,
): Promise<Inode | undefined> {
  if (base.record.hasStreams !== true) return undefined;
  const stored = await view.get(streamKey(share, base.id, foldName(name)));
  if (stored === undefined) return undefined;
  const { inode: id } = entryRecord.unpack(stored);
  const record = await findInode(view, share, id);
  return record && { id, record };
}

/** In the order of their folded names. */
export async function readStreams(view: View, share: bigint, base: Inode): Promise<readonly NamedStream[]> {
  if (base.record.hasStreams !== true) return [];
  const entries: EntryRecord[] = [];
  for await (const { value } of view.range(streamsOfInode(share, base.id)))
    entries.push(entryRecord.unpack(value));
  const stored = await view.getMany(entries.map(({ inode }) => inodeKey(share, inode)));
  return entries.flatMap(({ name, inode: id }, i) => {
    const bytes = stored[i];
    return bytes === undefined ? [] : [{ name, inode: { id, record: inodeRecord.unpack(bytes) } }];
  });
}

/** A stream as it is shown: its own content, and all else of the file or directory it belongs to. */
export function shownStream(base: InodeRecord, stream: InodeRecord): InodeRecord {
  const { size, content, dataRevision } = stream;
  return { ...base, kind: "file", size, content, dataRevision };
}

/** Puts a new and empty stream under its base. */
export async function putNewStream(
  write: Writer,
  share: ShareRecord,
  base: Inode,
  { id, name }: { readonly id: bigint; readonly name: string },
): Promise<InodeRecord> {
  const limit = FILE_LIMITS.streamsPerInodeMax;
  const others = base.record.hasStreams === true ? streamsOfInode(share.id, base.id) : undefined;
  if (others !== undefined && (await write.take(others, limit)).length >= limit)
    throw new Refusal("TooManyStreams");
  const revision = write.revision();
  const now = ticksOf(write);
  const record: InodeRecord = {
    kind: "file",
    parent: base.id,
    name,
    revision,
    attributes: 0,
    createdAt: now,
    writtenAt: now,
    changedAt: now,
    size: 0,
    content: revision,
    dataRevision: revision,
  };
  await putInode(write, share, id, record, revision);
  await putStreamEntry(write, share, base.id, { name, inode: id, kind: "file" });
  return record;
}

export async function putStreamEntry(
  write: Writer,
  share: ShareRecord,
  base: bigint,
  entry: EntryRecord,
): Promise<void> {
  const key = streamKey(share.id, base, foldName(entry.name));
  const stored = share.epoch === undefined ? undefined : await write.get(key);
  putVersioned(write, volumeOf(share), { key, packed: entryRecord.pack(entry, write.revision()), stored });
}

export async function removeStreamEntry(
  write: Writer,
  share: ShareRecord,
  base: bigint,
  name: string,
): Promise<void> {
  const key = streamKey(share.id, base, foldName(name));
  const stored = await write.get(key);
  if (stored !== undefined) deleteVersioned(write, volumeOf(share), key, stored);
}

/** Takes one stream away. The caller says so in the record of the base. */
export async function removeStream(
  write: Writer,
  share: ShareRecord,
  base: bigint,
  { id, record }: Inode,
): Promise<void> {
  await removeStreamEntry(write, share, base, record.name);
  await removeInode(write, share, id);
  await changeUsage(write, share, -record.size);
  discardContent(write, share, record.content);
}

/** The base goes, or is made anew: its streams go with it. Whoever has one open finds it closed. */
export async function removeStreams(write: Writer, share: ShareRecord, base: Inode): Promise<void> {
  for (const { inode } of await readStreams(new LiveView(write), share.id, base))
    await removeStream(write, share, base.id, inode);
}

export async function hasStreamsLeft(write: Writer, share: bigint, base: bigint): Promise<boolean> {
  return (await write.take(streamsOfInode(share, base), 1)).length > 0;
}

/**
 * Something was done to a stream: the times of its base move, as on Windows. The ETag does not: to REST nothing of the
 * file has changed.
 */
export async function putBase(
  write: Writer,
  share: ShareRecord,
  { id, record }: Inode,
  change: Partial<InodeRecord>,
): Promise<void> {
  await putInode(write, share, id, { ...record, ...change }, write.revision());
}
