import { pause } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import {
  type ByteRange,
  conflictingLock,
  type Lock,
  mayRead,
  mayWrite,
  overlaps,
  withoutLock,
} from "../../concurrency/byte-range-lock.ts";
import { NO_ACCESS, WRITE } from "../../concurrency/share-mode.ts";
import { handleKey, locksKey, restAccessesOfInode } from "../../store/keys/file.ts";
import type { Writer } from "../../store/kv.ts";
import { type AccessRecord, locksRecord, restAccessRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { Handle } from "./opens/open-inode.ts";
import { deletePendingLock, putPendingLock } from "./pending-locks.ts";
import { readOpens } from "./stored-handles.ts";
import { untilDone } from "./until-done.ts";

/** Byte-range locks of a handle. They live and go with it. */
async function readOwn(write: Writer, { share, inode, id }: Handle): Promise<readonly Lock[]> {
  if ((await write.get(handleKey(share, inode, id))) === undefined) throw new Refusal("ResourceNotFound");
  const stored = await write.get(locksKey(share, inode, id));
  return stored === undefined ? [] : locksRecord.unpack(stored).locks;
}

/**
 * Takes all of the locks, or none of them (FileLockConflict). Writes that were let through before, by REST or by
 * other handles, have ended when they are placed.
 */
export async function lockRanges(files: FileService, handle: Handle, wanted: readonly Lock[]): Promise<void> {
  const place = (): Promise<boolean> =>
    files.inFlightWrites.alone(handle, () => tryLock(files, handle, wanted));
  if (!(await place())) await lockFairly(files, handle, place);
}

/** A write was in the way, and the wish is put: those that come now wait for it. */
async function lockFairly(files: FileService, handle: Handle, place: () => Promise<boolean>): Promise<void> {
  try {
    for (let tries = 0; tries < FILE_LIMITS.lockRetriesMax; tries++) {
      await pause(FILE_LIMITS.openRetryMillis);
      if (await place()) return;
    }
    throw new Refusal("FileLockConflict");
  } catch (error) {
    const { log, store } = files.parts;
    await untilDone(log, () => store.ephemeral.write(async (write) => deletePendingLock(write, handle)));
    throw error;
  }
}

/** False while a REST call writes to the file, or a client of another node to what shall be locked. */
function tryLock(files: FileService, handle: Handle, wanted: readonly Lock[]): Promise<boolean> {
  const { share, inode, id } = handle;
  const { ephemeral } = files.parts.store;
  return ephemeral.write(async (write) => {
    const own = [...(await readOwn(write, handle))];
    for await (const { value } of write.range(restAccessesOfInode(share, inode))) {
      if (!isInTheWay(restAccessRecord.unpack(value), wanted, ephemeral.owner)) continue;
      await putPendingLock(write, handle, ephemeral.owner);
      return false;
    }
    const { handles, locks } = await readOpens(write, share, inode);
    // Who only looks has asked no other node to finish what it writes.
    const isLooking = handles.some((open) => open.handle === id && open.access === NO_ACCESS);
    const isUsed = handles.some(
      (open) => open.owner !== ephemeral.owner && open.access !== NO_ACCESS && !open.isOfStream,
    );
    if (isLooking && isUsed) throw new Refusal("FileLockConflict");
    const held = [...locks];
    for (const { offset, length, isExclusive } of wanted) {
      const lock = { offset, length, isExclusive };
      if (conflictingLock(held, lock, id) !== undefined) throw new Refusal("FileLockConflict");
      held.push({ ...lock, handle: id });
      own.push(lock);
    }
    if (own.length > FILE_LIMITS.locksPerHandleMax) throw new Refusal("TooManyOpenHandles");
    write.put(locksKey(share, inode, id), locksRecord.pack({ locks: own }));
    deletePendingLock(write, handle);
    return true;
  });
}

/** There are no writes of this process while a lock is placed. */
function isInTheWay(record: AccessRecord, wanted: readonly Lock[], self: string): boolean {
  const { access, owner, offset, length } = record;
  if ((access & WRITE) === 0 || owner === self) return false;
  if (offset === undefined || length === undefined) return true;
  return wanted.some((lock) => overlaps(lock, { offset, length }));
}

/** Gives locks back, each named exactly as it was taken. "notLocked": one of them was not there; the others went. */
export function unlockRanges(
  files: FileService,
  handle: Handle,
  ranges: readonly ByteRange[],
): Promise<"unlocked" | "notLocked"> {
  const { share, inode, id } = handle;
  return files.parts.store.ephemeral.write(async (write) => {
    let own = await readOwn(write, handle);
    let outcome: "unlocked" | "notLocked" = "unlocked";
    for (const range of ranges) {
      const left = withoutLock(own, range);
      if (left === undefined) {
        outcome = "notLocked";
        break;
      }
      own = left;
    }
    const key = locksKey(share, inode, id);
    if (own.length === 0) write.delete(key);
    else write.put(key, locksRecord.pack({ locks: own }));
    return outcome;
  });
}

/** Whether the locks of others let this handle read or write here. */
export function mayAccess(
  files: FileService,
  { share, inode, id }: Handle,
  range: ByteRange,
  use: "read" | "write",
): Promise<boolean> {
  return files.parts.store.ephemeral.read(async (read) => {
    const { locks } = await readOpens(read, share, inode);
    return use === "read" ? mayRead(locks, range, id) : mayWrite(locks, range, id);
  });
}
