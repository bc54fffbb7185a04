import { Refusal } from "../../base/refusals.ts";
import {
  closingShareKey,
  handlesOfShare,
  OPENED_SHARES,
  openedShareKey,
  restAccessesOfShare,
  shareOfOpenedKey,
} from "../../store/keys/file.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { openedShareRecord, type ShareRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import type { ShareRef } from "./names.ts";
import { findShare, putShare } from "./shares.ts";

/**
 * The mark of a share in which SMB clients may have something open; access.ts describes its purpose.
 *
 * An open puts its handle first and then looks for the mark, so the mark may be removed only when no open is
 * between the two steps. The removal therefore begins with a note in the ephemeral space, put in a
 * transaction that saw no handle. An open that finds the note waits until it is gone, and then sets the mark
 * again.
 */
export async function markOpened(files: FileService, ref: ShareRef, id: bigint): Promise<void> {
  const isMarked = await files.parts.store.read(
    async (read) => (await findShare(read, ref))?.isOpened === true,
  );
  if (isMarked) return;
  await files.parts.store.write(async (write) => {
    const share = await findShare(write, ref);
    if (share?.id !== id) throw new Refusal("ShareNotFound");
    markInTransaction(write, ref, share);
  });
}

/** The same as part of another change. */
export function markInTransaction(write: Writer, ref: ShareRef, share: ShareRecord): ShareRecord {
  if (share.isOpened === true) return share;
  const marked = { ...share, isOpened: true };
  putShare(write, ref, marked);
  write.put(openedShareKey(share.id), openedShareRecord.pack({ account: ref.account, name: ref.share }));
  return marked;
}

async function isInUse(read: Reader, share: bigint): Promise<boolean> {
  for (const range of [handlesOfShare(share), restAccessesOfShare(share)]) {
    for await (const _ of read.range({ ...range, limit: 1 })) return true;
  }
  return false;
}

/** Removes the marks of shares in which nothing is open. */
export async function forgetUnusedMarks(files: FileService): Promise<"more" | "done"> {
  const { store } = files.parts;
  const marked = await store.read(async (read) => {
    const found: { id: bigint; account: string; share: string }[] = [];
    for await (const { key, value } of read.range(OPENED_SHARES)) {
      const { account, name } = openedShareRecord.unpack(value);
      found.push({ id: shareOfOpenedKey(key), account, share: name });
    }
    return found;
  });
  for (const { id, ...ref } of marked) await forgetMark(files, ref, id);
  return "done";
}

async function forgetMark({ parts: { store } }: FileService, ref: ShareRef, id: bigint): Promise<void> {
  const note = closingShareKey(id);
  const isNoted = await store.ephemeral.write(async (write) => {
    if (await isInUse(write, id)) return false;
    write.put(note, Buffer.alloc(1));
    return true;
  });
  if (!isNoted) return;
  try {
    await store.write(async (write) => {
      write.delete(openedShareKey(id));
      const share = await findShare(write, ref);
      if (share?.id !== id) return;
      const { isOpened: _, ...rest } = share;
      putShare(write, ref, rest);
    });
  } finally {
    await store.ephemeral.write(async (write) => write.delete(note));
  }
}
