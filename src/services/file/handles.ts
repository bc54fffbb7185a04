import { Refusal } from "../../base/refusals.ts";
import { DELETE } from "../../concurrency/share-mode.ts";
import {
  deletePendingKey,
  handleKey,
  handlesOfInode,
  locksKey,
  pendingLockKey,
} from "../../store/keys/file.ts";
import type { Writer } from "../../store/kv.ts";
import { deletePendingRecord, handleRecord, type ShareRecord } from "../../store/records/file.ts";
import { isReadOnly } from "./attributes.ts";
import { unlinkDirectory, unlinkFile } from "./delete-file.ts";
import type { FileService } from "./file-service.ts";
import { findInode, type Inode, isEmptyDirectory, ROOT, ticksOf, touchDirectory } from "./inodes.ts";
import type { HandleId } from "./opens/open-request.ts";
import { findShare, readShare } from "./shares.ts";
import { hasStreamsLeft, putBase, removeStream } from "./streams.ts";
import { untilDone } from "./until-done.ts";
import { LiveView } from "./versions.ts";

/**
 * The end of a handle, and the deletion of a file with its last handle. opens/open-inode.ts places handles.
 *
 * "removed": the file or named stream was delete-pending, and this was its last handle. "withFile": the same
 * for the file of a stream. "unknown": the handle was closed already.
 */
export type Ended = "closed" | "removed" | "withFile" | "unknown";

/** Removes a handle and its locks. A handle that is closed by force does not apply its delete-on-close. */
export async function endHandle(
  files: FileService,
  handle: HandleId,
  { isForced }: { readonly isForced: boolean },
): Promise<Ended> {
  const { base } = handle;
  const { ephemeral } = files.parts.store;
  if (base !== undefined) return endStreamHandle(files, handle, base, isForced);
  const outcome = await ephemeral.write((write) => removeHandle(write, handle, isForced));
  // The delete-pending mark stays until the file is gone: no client may open it in between.
  return outcome === "last" ? await removePending(files, handle, removeInodeOf(handle)) : outcome;
}

/** "last": the inode is delete-pending and has no handle left. */
async function removeHandle(
  write: Writer,
  { share, inode, id }: Pick<HandleId, "share" | "inode" | "id">,
  isForced: boolean,
): Promise<"unknown" | "closed" | "last"> {
  const key = handleKey(share, inode, id);
  const pendingKey = deletePendingKey(share, inode);
  // Most handles have no locks, and deleting an absent key costs as much as deleting a present one.
  const lockKeys = [locksKey(share, inode, id), pendingLockKey(share, inode, id)];
  const [stored, pending, ...locks] = await write.getMany([key, pendingKey, ...lockKeys]);
  if (stored === undefined) return "unknown";
  write.delete(key);
  for (const [i, lockKey] of lockKeys.entries()) if (locks[i] !== undefined) write.delete(lockKey);
  let isPending = pending !== undefined;
  if (!isPending && !isForced && inode !== ROOT && handleRecord.unpack(stored).isDeleteOnClose) {
    write.put(pendingKey, deletePendingRecord.pack({ by: id }));
    isPending = true;
  }
  if (!isPending) return "closed";
  return (await write.take(handlesOfInode(share, inode), 1)).length > 0 ? "closed" : "last";
}

/** The handle of a stream also counts for its base: the last handle of both removes a delete-pending base. */
async function endStreamHandle(
  files: FileService,
  handle: HandleId,
  base: bigint,
  isForced: boolean,
): Promise<Ended> {
  const { ref, share, id } = handle;
  const { own, ofBase } = await files.parts.store.ephemeral.write(async (write) => ({
    own: await removeHandle(write, handle, isForced),
    ofBase: await removeHandle(write, { share, inode: base, id }, true),
  }));
  let ended: Ended = own === "last" ? "closed" : own;
  try {
    if (own === "last") ended = await removePending(files, handle, removeStreamOf(handle, base));
  } finally {
    const file = { ref, share, inode: base, id };
    if (ofBase === "last" && (await removePending(files, file, removeInodeOf(file))) === "removed")
      ended = "withFile";
  }
  return ended;
}

type Remove = (write: Writer, share: ShareRecord, inode: Inode) => Promise<"closed" | "removed">;

/** Removes a delete-pending inode with `remove`, and then its mark. */
async function removePending(
  files: FileService,
  { ref, share: id, inode }: HandleId,
  remove: Remove,
): Promise<Ended> {
  const { store, log } = files.parts;
  try {
    const ended = await store.write(async (write) => {
      const share = await findShare(write, ref);
      const record = share?.id === id ? await findInode(new LiveView(write), id, inode) : undefined;
      return record === undefined ? "closed" : remove(write, share!, { id: inode, record });
    });
    files.contentLeft.ring();
    return ended;
  } finally {
    const key = deletePendingKey(id, inode);
    await untilDone(log, () => store.ephemeral.write(async (write) => write.delete(key)));
  }
}

function removeStreamOf({ share: id }: HandleId, base: bigint): Remove {
  return async (write, share, stream) => {
    const owner = await findInode(new LiveView(write), id, base);
    if (owner === undefined) return "closed";
    await removeStream(write, share, base, stream);
    const { hasStreams: _, ...rest } = owner;
    const record = (await hasStreamsLeft(write, id, base)) ? owner : rest;
    const now = ticksOf(write);
    await putBase(write, share, { id: base, record }, { writtenAt: now, changedAt: now });
    return "removed";
  };
}

function removeInodeOf({ share: id }: HandleId): Remove {
  return async (write, share, inode) => {
    if (inode.record.kind === "file") await unlinkFile(write, share, inode);
    else if (await isEmptyDirectory(new LiveView(write), id, inode.id))
      await unlinkDirectory(write, share, inode);
    else return "closed";
    await touchDirectory(write, share, inode.record.parent);
    return "removed";
  };
}

/** Marks a file or directory for deletion with its last handle, or removes the mark. */
export async function setDeletePending(
  files: FileService,
  handle: HandleId,
  isPending: boolean,
): Promise<void> {
  const { share, inode, id } = handle;
  const { store } = files.parts;
  if (isPending) await checkDeletable(files, handle);
  await store.ephemeral.write(async (write) => {
    const stored = await write.get(handleKey(share, inode, id));
    if (stored === undefined) throw new Refusal("ResourceNotFound");
    if ((handleRecord.unpack(stored).access & DELETE) === 0)
      throw new Refusal("AuthorizationPermissionMismatch");
    const key = deletePendingKey(share, inode);
    if (isPending) write.put(key, deletePendingRecord.pack({ by: id }));
    else write.delete(key);
  });
}

async function checkDeletable(files: FileService, handle: HandleId): Promise<void> {
  const { ref, share: id } = handle;
  const inode = handle.base ?? handle.inode;
  const isStream = handle.base !== undefined;
  await files.parts.store.read(async (read) => {
    const share = await readShare(read, ref);
    const view = new LiveView(read);
    const record = share.id === id ? await findInode(view, id, inode) : undefined;
    if (record === undefined) throw new Refusal("ResourceNotFound");
    if (inode === ROOT && !isStream) throw new Refusal("AuthorizationPermissionMismatch");
    const isProtected = isReadOnly(record) && !(isStream && record.kind === "directory");
    if (isProtected) throw new Refusal("CannotDeleteFileOrDirectory");
    if (record.kind === "directory" && !isStream && !(await isEmptyDirectory(view, id, inode)))
      throw new Refusal("DirectoryNotEmpty");
  });
}
