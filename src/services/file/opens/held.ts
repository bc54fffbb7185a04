import { Refusal } from "../../../base/refusals.ts";
import { type ByteRange, mayRead, mayWrite } from "../../../concurrency/byte-range-lock.ts";
import { isLocked } from "../../../concurrency/lease.ts";
import { ALL_ACCESS, NO_ACCESS, WRITE } from "../../../concurrency/share-mode.ts";
import { handleKey, restAccessKey } from "../../../store/keys/file.ts";
import type { Reader, Writer } from "../../../store/kv.ts";
import { type InodeRecord, restAccessRecord, type ShareRecord } from "../../../store/records/file.ts";
import { ATTRIBUTE } from "../attributes.ts";
import type { FileService } from "../file-service.ts";
import type { OpenedFile } from "../inode-changes.ts";
import { findInode, ticksOf } from "../inodes.ts";
import { afterPendingLocks, isLockPending, LOCK_PENDING } from "../pending-locks.ts";
import { findShare, leaseOf } from "../shares.ts";
import { readHandles, readLocks } from "../stored-handles.ts";
import { putBase, shownStream } from "../streams.ts";
import { untilDone } from "../until-done.ts";
import { LiveView } from "../versions.ts";
import type { Handle } from "./open-inode.ts";

/** What an open handle stands for, in the caller's transaction. A node that is gone has no handles. */
export async function findByHandle(read: Reader, { ref, share: id, inode }: Handle): Promise<OpenedFile> {
  const share = await findShare(read, ref);
  if (share?.id !== id) throw new Refusal("ShareNotFound");
  const view = new LiveView(read);
  const record = await findInode(view, id, inode);
  if (record === undefined) throw new Refusal("ResourceNotFound");
  return { share, view, inode: { id: inode, record } };
}

/** What its times, attributes and security belong to: of a named stream, the file or directory. */
export function findBaseByHandle(read: Reader, handle: Handle): Promise<OpenedFile> {
  const { ref, share, base, id } = handle;
  return findByHandle(read, base === undefined ? handle : { ref, share, inode: base, id });
}

/** What is told of it: of a named stream, its own content and what else its file or directory has. */
export async function findShownByHandle(read: Reader, handle: Handle): Promise<OpenedFile> {
  const held = await findByHandle(read, handle);
  if (handle.base === undefined) return held;
  const { inode: base } = await findBaseByHandle(read, handle);
  return { ...held, inode: { id: held.inode.id, record: shownStream(base.record, held.inode.record) } };
}

/** A change of a named stream moves the times of what it belongs to. */
export async function touchBaseByHandle(
  write: Writer,
  share: ShareRecord,
  handle: Handle,
  times: FrozenTimes,
): Promise<void> {
  if (handle.base === undefined) return;
  const { inode } = await findBaseByHandle(write, handle);
  const { attributes, kind } = inode.record;
  await putBase(write, share, inode, {
    ...timesOf(inode.record, ticksOf(write), times),
    attributes: kind === "file" ? attributes | ATTRIBUTE.Archive : attributes,
  });
}

/**
 * The same for a change of content. A lease keeps handles that write away, so whoever writes under one was cut off
 * by force, and the change that was on its way then comes too late.
 */
export async function findForWriteByHandle(read: Reader, handle: Handle): Promise<OpenedFile> {
  const held = await findByHandle(read, handle);
  if (isLocked(leaseOf(held.inode.record), read.now())) throw new Refusal("ResourceNotFound");
  return held;
}

/** Whether the handle is still open, and whether the locks of others let it read here. */
export function checkRead(files: FileService, handle: Handle, range: ByteRange): Promise<void> {
  const { share, inode, id } = handle;
  return files.parts.store.ephemeral.read(async (read) => {
    const [own, locks] = await Promise.all([
      read.get(handleKey(share, inode, id)),
      readLocks(read, share, inode),
    ]);
    if (own === undefined) throw new Refusal("ResourceNotFound");
    if (!mayRead(locks, range, id)) throw new Refusal("FileLockConflict");
  });
}

/**
 * Runs a write by handle, if the handle is still open and no lock stands against it. Until it has ended a lock that
 * it would break is not given: among the clients of this process the writes under way see to that. Where clients of
 * other nodes have the file open as well, a record tells them of it.
 */
export async function withWriteAccess<T>(
  files: FileService,
  handle: Handle,
  range: ByteRange,
  write: () => Promise<T>,
): Promise<T> {
  const { ephemeral } = files.parts.store;
  const { isElsewhere } = await ephemeral.read((read) => checkWrite(read, handle, range, ephemeral.owner));
  if (!isElsewhere) return write();
  const { share, inode } = handle;
  const { owner } = ephemeral;
  const key = await afterPendingLocks((mayWait) =>
    ephemeral.write(async (writer) => {
      await checkWrite(writer, handle, range, owner);
      if (mayWait && (await isLockPending(writer, handle, owner))) return LOCK_PENDING;
      const note = restAccessKey(share, inode, writer.revision());
      const { offset, length } = range;
      writer.put(note, restAccessRecord.pack({ access: WRITE, share: ALL_ACCESS, owner, offset, length }));
      return note;
    }),
  );
  try {
    return await write();
  } finally {
    await untilDone(files.parts.log, () => ephemeral.write(async (writer) => writer.delete(key)));
  }
}

async function checkWrite(
  read: Reader,
  { share, inode, id }: Handle,
  range: ByteRange,
  self: string,
): Promise<{ readonly isElsewhere: boolean }> {
  const [handles, locks] = await Promise.all([
    readHandles(read, share, inode),
    readLocks(read, share, inode),
  ]);
  if (!handles.some(({ handle }) => handle === id)) throw new Refusal("ResourceNotFound");
  if (!mayWrite(locks, range, id)) throw new Refusal("FileLockConflict");
  return {
    isElsewhere: handles.some(
      ({ owner, access, isOfStream }) => owner !== self && access !== NO_ACCESS && !isOfStream,
    ),
  };
}

/** Which times of a node a change leaves alone, because the client has set them by this handle. */
export interface FrozenTimes {
  readonly freezesWrittenAt: boolean;
  readonly freezesChangedAt: boolean;
}

export function timesOf(
  record: InodeRecord,
  now: bigint,
  { freezesWrittenAt, freezesChangedAt }: FrozenTimes,
): Pick<InodeRecord, "writtenAt" | "changedAt"> {
  return {
    writtenAt: freezesWrittenAt ? record.writtenAt : later(record.writtenAt, now),
    changedAt: freezesChangedAt ? record.changedAt : later(record.changedAt, now),
  };
}

/** The clock counts milliseconds and a change takes less: one that follows at once still shows as the later one. */
function later(before: bigint, now: bigint): bigint {
  const isSameMilli = before >= now && before - now < TICKS_PER_MILLI;
  return isSameMilli ? before + 1n : now;
}

const TICKS_PER_MILLI = 10_000n;
