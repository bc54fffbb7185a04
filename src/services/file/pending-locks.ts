import { pause } from "../../base/clock.ts";
import { pendingLockKey, pendingLocksOfInode } from "../../store/keys/file.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { pendingLockRecord } from "../../store/records/file.ts";
import type { InodeName } from "./cache-breaks.ts";
import { FILE_LIMITS } from "./limits.ts";

/**
 * A lock is placed when the writes that conflict with it have ended. A steady stream of writes would delay it
 * for ever, so a waiting lock leaves a record, and later writes wait for the lock, for a bounded time.
 */
interface PendingLock extends InodeName {
  readonly id: bigint;
}

export async function putPendingLock(
  write: Writer,
  { share, inode, id }: PendingLock,
  owner: string,
): Promise<void> {
  const key = pendingLockKey(share, inode, id);
  if ((await write.get(key)) === undefined) write.put(key, pendingLockRecord.pack({ owner }));
}

export function deletePendingLock(write: Writer, { share, inode, id }: PendingLock): void {
  write.delete(pendingLockKey(share, inode, id));
}

/** Whether a lock is pending that this write would delay: one that another process requests. */
export async function isLockPending(
  read: Reader,
  { share, inode }: InodeName,
  self?: string,
): Promise<boolean> {
  for await (const { value } of read.range(pendingLocksOfInode(share, inode))) {
    if (pendingLockRecord.unpack(value).owner !== self) return true;
  }
  return false;
}

export const LOCK_PENDING = Symbol("a lock is pending");

/** Runs a transaction until it finds no pending lock. On the last attempt it ignores pending locks. */
export async function afterPendingLocks<T>(
  attempt: (mayWait: boolean) => Promise<T | typeof LOCK_PENDING>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    const outcome = await attempt(tries < FILE_LIMITS.pendingLockRetriesMax);
    if (outcome !== LOCK_PENDING) return outcome;
    await pause(FILE_LIMITS.openRetryMillis);
  }
}
