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
import { findInode, type Inode, newInode, putInode, removeInode, ticksOf } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import { foldName } from "./names.ts";
import { discardContent } from "./ranges.ts";
import { changeUsage } from "./shares.ts";
import { LiveView, removeVersioned, replaceVersioned, type View } from "./versions.ts";

/**
 * Named streams: content that a file or directory has beside its own (decision 0045).
 *
 * A stream is an inode: its size, content, handles and locks have an id of their own and use the code of
 * files. It is in no directory. Its entry lies under its *base*, the file or directory it belongs to, in a
 * key family that no listing reads. Times, attributes and security belong to the base alone. The record of
 * the base says whether it has streams, so a base without streams costs no lookup.
 *
 * REST cannot name streams: they are part of the file and go where it goes.
 */
export interface NamedStream {
  readonly name: string;
  readonly inode: Inode;
}

/** A file or directory with its named streams. */
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

/** A stream as clients see it: its own content, and the other properties of its base. */
export function shownStream(base: InodeRecord, stream: InodeRecord): InodeRecord {
  const { size, content, dataRevision } = stream;
  return { ...base, kind: "file", size, content, dataRevision };
}

/** Puts a new, empty stream under its base. */
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
  const record = {
    ...newInode("file", { parent: base.id, name, revision, now: ticksOf(write) }),
    attributes: 0,
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
  await replaceVersioned(write, share, {
    key,
    packed: entryRecord.pack(entry, write.revision()),
    isNew: false,
  });
}

export function removeStreamEntry(
  write: Writer,
  share: ShareRecord,
  base: bigint,
  name: string,
): Promise<void> {
  return removeVersioned(write, share, streamKey(share.id, base, foldName(name)));
}

/** Removes one stream. The caller updates the record of the base. */
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

/**
 * Removes all streams of a base that is deleted or overwritten. Clients that have one open find it closed.
 */
export async function removeStreams(write: Writer, share: ShareRecord, base: Inode): Promise<void> {
  for (const { inode } of await readStreams(new LiveView(write), share.id, base))
    await removeStream(write, share, base.id, inode);
}

export async function hasStreamsLeft(write: Writer, share: bigint, base: bigint): Promise<boolean> {
  return (await write.take(streamsOfInode(share, base), 1)).length > 0;
}

/**
 * Changes the times of a base after a change of its stream, as on Windows. REST sees no change: the ETag
 * stays.
 */
export async function putBase(
  write: Writer,
  share: ShareRecord,
  { id, record }: Inode,
  change: Partial<InodeRecord>,
): Promise<void> {
  await putInode(write, share, id, { ...record, ...change }, write.revision());
}
