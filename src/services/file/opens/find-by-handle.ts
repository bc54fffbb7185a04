import { Refusal } from "../../../base/refusals.ts";
import { type ByteRange, mayRead, mayWrite } from "../../../concurrency/byte-range-lock.ts";
import { isLocked } from "../../../concurrency/lease.ts";
import { ALL_ACCESS, NO_ACCESS, WRITE } from "../../../concurrency/share-mode.ts";
import { handleKey, restAccessKey } from "../../../store/keys/file.ts";
import type { Reader, Writer } from "../../../store/kv.ts";
import { type InodeRecord, restAccessRecord, type ShareRecord } from "../../../store/records/file.ts";
import { leaseOf } from "../../lease-action.ts";
import { ATTRIBUTE } from "../attributes.ts";
import type { FileService } from "../file-service.ts";
import type { LoadedInode } from "../inode-changes.ts";
import { findInode, ticksOf } from "../inodes.ts";
import { afterPendingLocks, isLockPending, LOCK_PENDING } from "../pending-locks.ts";
import { findShare, openShare } from "../shares.ts";
import { readHandles, readLocks } from "../stored-handles.ts";
import { putBase, shownStream } from "../streams.ts";
import { untilDone } from "../until-done.ts";
import { LiveView } from "../versions.ts";
import type { HandleId } from "./open-request.ts";

/** The inode that a handle has open, in the caller's transaction. A deleted inode has no handles. */
export async function findByHandle(read: Reader, { ref, share: id, inode }: HandleId): Promise<LoadedInode> {
  const { share, view } =
    ref.snapshot === undefined
      ? { share: await findShare(read, ref), view: new LiveView(read) }
      : await openShare(read, ref);
  if (share?.id !== id) throw new Refusal("ShareNotFound");
  const record = await findInode(view, id, inode);
  if (record === undefined) throw new Refusal("ResourceNotFound");
  return { share, view, inode: { id: inode, record } };
}

/** The inode that has the times, attributes and security: for a named stream, the file or directory. */
export function findBaseByHandle(read: Reader, handle: HandleId): Promise<LoadedInode> {
  const { ref, share, base, id } = handle;
  return findByHandle(read, base === undefined ? handle : { ref, share, inode: base, id });
}

/** The inode as clients see it: a named stream has its own content, and the other properties of its base. */
export async function findShownByHandle(read: Reader, handle: HandleId): Promise<LoadedInode> {
  const loaded = await findByHandle(read, handle);
  if (handle.base === undefined) return loaded;
  const { inode: base } = await findBaseByHandle(read, handle);
  return { ...loaded, inode: { id: loaded.inode.id, record: shownStream(base.record, loaded.inode.record) } };
}

/** A change of a named stream moves the times of its base. */
export async function touchBaseByHandle(
  write: Writer,
  share: ShareRecord,
  handle: HandleId,
  frozen: FrozenTimes,
): Promise<void> {
  if (handle.base === undefined) return;
  const { inode } = await findBaseByHandle(write, handle);
  const { attributes, kind } = inode.record;
  await putBase(write, share, inode, {
    ...timesOf(inode.record, ticksOf(write), frozen),
    attributes: kind === "file" ? attributes | ATTRIBUTE.Archive : attributes,
  });
}

/**
 * The inode of a handle that changes its content. No handle with write access is open while a lease is
 * active, so a write under a lease comes from a handle that was closed by force, and is refused.
 */
export async function findForWriteByHandle(read: Reader, handle: HandleId): Promise<LoadedInode> {
  const loaded = await findByHandle(read, handle);
  if (isLocked(leaseOf(loaded.inode.record), read.now())) throw new Refusal("ResourceNotFound");
  return loaded;
}

/** Refuses a read when the handle is closed, or another handle has the range locked. */
export function checkRead(files: FileService, handle: HandleId, range: ByteRange): Promise<void> {
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
 * Runs a write by handle, if the handle is open and no lock conflicts with it. No conflicting lock is placed
 * until the write has ended: `InFlightWrites` delays locks of this process, and where clients of other
 * processes have the file open too, a record of the write in the ephemeral space delays theirs.
 */
export async function withWriteAccess<T>(
  files: FileService,
  handle: HandleId,
  range: ByteRange,
  write: () => Promise<T>,
): Promise<T> {
  const { ephemeral } = files.parts.store;
  const { owner } = ephemeral;
  if (!(await ephemeral.read((read) => checkWrite(read, handle, range, owner)))) return write();
  const { share, inode } = handle;
  const key = await afterPendingLocks((mayWait) =>
    ephemeral.write(async (writer) => {
      await checkWrite(writer, handle, range, owner);
      if (mayWait && (await isLockPending(writer, handle, owner))) return LOCK_PENDING;
      const accessKey = restAccessKey(share, inode, writer.revision());
      const { offset, length } = range;
      const record = { access: WRITE, share: ALL_ACCESS, owner, offset, length };
      writer.put(accessKey, restAccessRecord.pack(record));
      return accessKey;
    }),
  );
  try {
    return await write();
  } finally {
    await untilDone(files.parts.log, () => ephemeral.write(async (writer) => writer.delete(key)));
  }
}

/** True when clients of other processes have the file open too. */
async function checkWrite(
  read: Reader,
  { share, inode, id }: HandleId,
  range: ByteRange,
  self: string,
): Promise<boolean> {
  const [handles, locks] = await Promise.all([
    readHandles(read, share, inode),
    readLocks(read, share, inode),
  ]);
  if (!handles.some(({ handle }) => handle === id)) throw new Refusal("ResourceNotFound");
  if (!mayWrite(locks, range, id)) throw new Refusal("FileLockConflict");
  return handles.some(
    ({ owner, access, isOfStream }) => owner !== self && access !== NO_ACCESS && !isOfStream,
  );
}

/** Times that the client has set through this handle: later changes through it leave them alone. */
export interface FrozenTimes {
  writtenAt: boolean;
  changedAt: boolean;
}

export function timesOf(
  record: InodeRecord,
  now: bigint,
  frozen: Readonly<FrozenTimes>,
): Pick<InodeRecord, "writtenAt" | "changedAt"> {
  return {
    writtenAt: frozen.writtenAt ? record.writtenAt : later(record.writtenAt, now),
    changedAt: frozen.changedAt ? record.changedAt : later(record.changedAt, now),
  };
}

/** The clock counts milliseconds, so a second change in the same one gets a later time. */
function later(before: bigint, now: bigint): bigint {
  const isSameMilli = before >= now && before - now < TICKS_PER_MILLI;
  return isSameMilli ? before + 1n : now;
}

const TICKS_PER_MILLI = 10_000n;
