import { pause } from "../../base/clock.ts";
import { pendingLockKey, pendingLocksOfInode } from "../../store/keys/file.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { pendingLockRecord } from "../../store/records/file.ts";
import type { InodeName } from "./cache-breaks.ts";
import { FILE_LIMITS } from "./limits.ts";

/**
 * A lock is given when the writes that it would stop have ended. Where writes follow one another there may never be a
 * moment without any, so a lock that has to wait puts a wish, and writes that come later wait for it in their turn:
 * for as long as a lock may take, which is not long.
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

/** Whether a lock waits that this write would be in the way of: writes of the process that asks for it are not. */
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

export const LOCK_PENDING = Symbol("wished");

/** Runs a transaction that may find a lock wished for, until it finds none. It is not told so the last time. */
export async function afterPendingLocks<T>(
  attempt: (mayWait: boolean) => Promise<T | typeof LOCK_PENDING>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    const outcome = await attempt(tries < FILE_LIMITS.pendingLockRetriesMax);
    if (outcome !== LOCK_PENDING) return outcome;
    await pause(FILE_LIMITS.openRetryMillis);
  }
}
