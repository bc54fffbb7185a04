import { pause } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import {
  type ByteRange,
  conflictingLock,
  type Lock,
  overlaps,
  withoutLock,
} from "../../concurrency/byte-range-lock.ts";
import { NO_ACCESS, WRITE } from "../../concurrency/share-mode.ts";
import { handleKey, locksKey, restAccessesOfInode } from "../../store/keys/file.ts";
import type { Writer } from "../../store/kv.ts";
import { type AccessRecord, locksRecord, restAccessRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { HandleId } from "./opens/open-request.ts";
import { deletePendingLock, putPendingLock } from "./pending-locks.ts";
import { readOpens } from "./stored-handles.ts";
import { untilDone } from "./until-done.ts";

/** Byte-range locks of a handle. They end with it. */
async function readOwnLocks(write: Writer, { share, inode, id }: HandleId): Promise<readonly Lock[]> {
  if ((await write.get(handleKey(share, inode, id))) === undefined) throw new Refusal("ResourceNotFound");
  const stored = await write.get(locksKey(share, inode, id));
  return stored === undefined ? [] : locksRecord.unpack(stored).locks;
}

/**
 * Places all locks or none (FileLockConflict), after the writes that REST or other handles began before have
 * ended.
 */
export async function lockRanges(
  files: FileService,
  handle: HandleId,
  requested: readonly Lock[],
): Promise<void> {
  const place = (): Promise<boolean> =>
    files.inFlightWrites.alone(handle, () => tryLock(files, handle, requested));
  if (await place()) return;
  // A write conflicts, and the lock is pending: later writes wait for it.
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

/** False while a REST call writes to the file, or a client of another process writes to the ranges. */
function tryLock(files: FileService, handle: HandleId, requested: readonly Lock[]): Promise<boolean> {
  const { share, inode, id } = handle;
  const { ephemeral } = files.parts.store;
  return ephemeral.write(async (write) => {
    const own = [...(await readOwnLocks(write, handle))];
    for await (const { value } of write.range(restAccessesOfInode(share, inode))) {
      if (!isConflictingWrite(restAccessRecord.unpack(value), requested, ephemeral.owner)) continue;
      await putPendingLock(write, handle, ephemeral.owner);
      return false;
    }
    const { handles, locks } = await readOpens(write, share, inode);
    // An open without access has asked no other process to finish its writes.
    const isStat = handles.some((open) => open.handle === id && open.access === NO_ACCESS);
    const isUsedElsewhere = handles.some(
      (open) => open.owner !== ephemeral.owner && open.access !== NO_ACCESS && !open.isOfStream,
    );
    if (isStat && isUsedElsewhere) throw new Refusal("FileLockConflict");
    const placed = [...locks];
    for (const { offset, length, isExclusive } of requested) {
      const lock = { offset, length, isExclusive };
      if (conflictingLock(placed, lock, id) !== undefined) throw new Refusal("FileLockConflict");
      placed.push({ ...lock, handle: id });
      own.push(lock);
    }
    if (own.length > FILE_LIMITS.locksPerHandleMax) throw new Refusal("TooManyOpenHandles");
    write.put(locksKey(share, inode, id), locksRecord.pack({ locks: own }));
    deletePendingLock(write, handle);
    return true;
  });
}

/** This process runs no writes while a lock is placed, so its own records do not count. */
function isConflictingWrite(record: AccessRecord, requested: readonly Lock[], self: string): boolean {
  const { access, owner, offset, length } = record;
  if ((access & WRITE) === 0 || owner === self) return false;
  if (offset === undefined || length === undefined) return true;
  return requested.some((lock) => overlaps(lock, { offset, length }));
}

/** Releases a lock with exactly this range. */
export function unlockRange(
  files: FileService,
  handle: HandleId,
  range: ByteRange,
): Promise<"unlocked" | "notLocked"> {
  const { share, inode, id } = handle;
  return files.parts.store.ephemeral.write(async (write) => {
    const left = withoutLock(await readOwnLocks(write, handle), range);
    if (left === undefined) return "notLocked";
    const key = locksKey(share, inode, id);
    if (left.length === 0) write.delete(key);
    else write.put(key, locksRecord.pack({ locks: left }));
    return "unlocked";
  });
}
