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
import { deletePendingRecord, type HandleRecord, handleRecord } from "../../store/records/file.ts";
import { isReadOnly } from "./attributes.ts";
import { unlinkDirectory, unlinkFile } from "./delete-file.ts";
import type { FileService } from "./file-service.ts";
import { findInode, isEmptyDirectory, ROOT, ticksOf, touchDirectory } from "./inodes.ts";
import type { Handle } from "./opens/open-inode.ts";
import { findShare, readShare } from "./shares.ts";
import { hasStreamsLeft, putBase, removeStream } from "./streams.ts";
import { untilDone } from "./until-done.ts";
import { LiveView } from "./versions.ts";

/** What becomes of a handle once it is open: how opens come to be is told in opens/open-node.ts. */

/** The handle as it is stored; undefined once it was closed, also by Force Close. */
export function findHandle(
  files: FileService,
  { share, inode, id }: Handle,
): Promise<HandleRecord | undefined> {
  return files.parts.store.ephemeral.read(async (read) => {
    const stored = await read.get(handleKey(share, inode, id));
    return stored === undefined ? undefined : handleRecord.unpack(stored);
  });
}

/**
 * "removed": with the handle went the file, or the named stream, which had waited for its deletion. "withFile": with the
 * handle of a stream went the file it belonged to.
 */
export type Ended = "closed" | "removed" | "withFile" | "unknown";

/** Closes a handle; its locks go with it, and with the last handle a file that waits for its deletion. */
export async function closeHandle(files: FileService, handle: Handle): Promise<Ended> {
  return endHandle(files, handle, { isForced: false });
}

/** As closing, but a client that was cut off did not ask for its delete-on-close. */
export async function endHandle(
  files: FileService,
  handle: Handle,
  { isForced }: { readonly isForced: boolean },
): Promise<Ended> {
  const { base } = handle;
  const { ephemeral } = files.parts.store;
  if (base !== undefined) return endOfStream(files, handle, base, isForced);
  const outcome = await ephemeral.write((write) => removeHandle(write, handle, isForced));
  // The note that it is pending stays until the file is gone: nobody may open it in between.
  return outcome === "last" ? await removePending(files, handle) : outcome;
}

/** "last": nobody has it open any more, and it waits for its deletion. */
async function removeHandle(
  write: Writer,
  { share, inode, id }: Pick<Handle, "share" | "inode" | "id">,
  isForced: boolean,
): Promise<"unknown" | "closed" | "last"> {
  const key = handleKey(share, inode, id);
  const pendingKey = deletePendingKey(share, inode);
  // Locks and wishes are rare: what is not there is not deleted, which would cost as much as what is.
  const maybe = [locksKey(share, inode, id), pendingLockKey(share, inode, id)];
  const [stored, pending, ...left] = await write.getMany([key, pendingKey, ...maybe]);
  if (stored === undefined) return "unknown";
  write.delete(key);
  for (const [i, one] of maybe.entries()) if (left[i] !== undefined) write.delete(one);
  let isPending = pending !== undefined;
  if (!isPending && !isForced && inode !== ROOT && handleRecord.unpack(stored).isDeleteOnClose) {
    write.put(pendingKey, deletePendingRecord.pack({ by: id }));
    isPending = true;
  }
  if (!isPending) return "closed";
  if ((await write.take(handlesOfInode(share, inode), 1)).length > 0) return "closed";
  return "last";
}

/** The handle of a stream also keeps its base: one that waits for its deletion goes with the last of both. */
async function endOfStream(
  files: FileService,
  handle: Handle,
  base: bigint,
  isForced: boolean,
): Promise<Ended> {
  const { share, id } = handle;
  const { own, beside } = await files.parts.store.ephemeral.write(async (write) => ({
    own: await removeHandle(write, handle, isForced),
    beside: await removeHandle(write, { share, inode: base, id }, true),
  }));
  let ended: Ended = own === "last" ? "closed" : own;
  try {
    if (own === "last") ended = await removePendingStream(files, handle, base);
  } finally {
    const file = { ref: handle.ref, share, inode: base, id };
    if (beside === "last" && (await removePending(files, file)) === "removed") ended = "withFile";
  }
  return ended;
}

async function removePendingStream(files: FileService, handle: Handle, base: bigint): Promise<Ended> {
  const { ref, share: id, inode } = handle;
  const { store, log } = files.parts;
  try {
    const ended = await store.write(async (write) => {
      const share = await findShare(write, ref);
      if (share?.id !== id) return "closed";
      const view = new LiveView(write);
      const [record, owner] = [await findInode(view, id, inode), await findInode(view, id, base)];
      if (record === undefined || owner === undefined) return "closed";
      await removeStream(write, share, base, { id: inode, record });
      const { hasStreams: _, ...rest } = owner;
      const left = (await hasStreamsLeft(write, id, base)) ? owner : rest;
      const now = ticksOf(write);
      await putBase(write, share, { id: base, record: left }, { writtenAt: now, changedAt: now });
      return "removed";
    });
    files.contentLeft.ring();
    return ended;
  } finally {
    const key = deletePendingKey(id, inode);
    await untilDone(log, () => store.ephemeral.write(async (write) => write.delete(key)));
  }
}

async function removePending(files: FileService, { ref, share: id, inode }: Handle): Promise<Ended> {
  const { store, log } = files.parts;
  try {
    const ended = await store.write(async (write) => {
      const share = await findShare(write, ref);
      if (share?.id !== id) return "closed";
      const view = new LiveView(write);
      const record = await findInode(view, id, inode);
      if (record === undefined) return "closed";
      if (record.kind === "file") await unlinkFile(write, share, { id: inode, record });
      else if (await isEmptyDirectory(view, id, inode))
        await unlinkDirectory(write, share, { id: inode, record });
      else return "closed";
      await touchDirectory(write, share, record.parent);
      return "removed";
    });
    files.contentLeft.ring();
    return ended;
  } finally {
    const key = deletePendingKey(id, inode);
    await untilDone(log, () => store.ephemeral.write(async (write) => write.delete(key)));
  }
}

/** Marks a file or directory for deletion when its last handle closes, or takes the mark back. */
export async function setDeletePending(
  files: FileService,
  handle: Handle,
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

async function checkDeletable(files: FileService, handle: Handle): Promise<void> {
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
    if (record.kind === "directory" && !isStream && !(await isEmptyDirectory(view, id, inode))) {
      throw new Refusal("DirectoryNotEmpty");
    }
  });
}
