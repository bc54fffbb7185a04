import type { Lock } from "../../concurrency/byte-range-lock.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Open } from "../session/open.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { BY_HANDLE, withStatus } from "../transport/statuses.ts";
import { decodeLockRequest, LOCK_FLAG, type LockElement } from "../wire/lock.ts";
import { CAPABILITY } from "../wire/negotiate.ts";
import { emptyBody } from "../wire/session-setup.ts";
import { refuse, STATUS, StatusError } from "../wire/status.ts";
import { breakForWrite } from "./rights.ts";

const KINDS: readonly number[] = [
  LOCK_FLAG.SHARED,
  LOCK_FLAG.EXCLUSIVE,
  LOCK_FLAG.SHARED | LOCK_FLAG.FAIL_IMMEDIATELY,
  LOCK_FLAG.EXCLUSIVE | LOCK_FLAG.FAIL_IMMEDIATELY,
];
const done = () => success(emptyBody.encode({}));

export async function lock(request: Request): Promise<Reply> {
  const { fileId, locks, lockSequence } = decodeLockRequest(request.pdu);
  const open = request.file(fileId);
  if (open.file.kind === "directory") throw refuse(STATUS.INVALID_DEVICE_REQUEST);
  if (locks.length > SMB_LIMITS.locksPerRequestMax) throw refuse(STATUS.INVALID_PARAMETER);
  const sequence = sequenceOf(open, lockSequence);
  if (sequence?.isReplay === true) return done();
  if (sequence !== undefined) open.lockSequences.delete(sequence.index);
  const isUnlock = locks[0]!.flags === LOCK_FLAG.UNLOCK;
  if (isUnlock) await unlockAll(request, open, locks);
  else await lockAll(request, open, locks);
  if (sequence !== undefined) open.lockSequences.set(sequence.index, sequence.number);
  return done();
}

const SEQUENCE_INDEX_MAX = 64;

/** A client that lost its connection sends its LOCK again: it must not lock twice. */
function sequenceOf(
  open: Open,
  lockSequence: number,
): { readonly index: number; readonly number: number; readonly isReplay: boolean } | undefined {
  const index = lockSequence >>> 4;
  const number = lockSequence & 0xf;
  // A client sends a LOCK again if the handle or the session outlives the connection.
  const mayBeReplayed =
    open.durability !== undefined || (open.session.connection.capabilities & CAPABILITY.MULTI_CHANNEL) !== 0;
  if (!mayBeReplayed || index < 1 || index > SEQUENCE_INDEX_MAX) return undefined;
  return { index, number, isReplay: open.lockSequences.get(index) === number };
}

/** In sequence: a wrong element ends it, and those before it stay unlocked. */
async function unlockAll(request: Request, open: Open, elements: readonly LockElement[]): Promise<void> {
  try {
    for (const { flags, offset, length } of elements) {
      if (flags !== LOCK_FLAG.UNLOCK) throw refuse(STATUS.INVALID_PARAMETER);
      if ((await open.file.unlock({ offset, length })) === "notLocked") throw refuse(STATUS.RANGE_NOT_LOCKED);
      open.lockCount--;
    }
  } finally {
    wake(request, open);
  }
}

function wake(request: Request, open: Open): void {
  if (open.inode !== undefined) request.context.inodes.locksChanged(open.inode);
}

const RANGE_END = 2n ** 64n;

function rangesOf(elements: readonly LockElement[]): Lock[] {
  return elements.map(({ offset, length, flags }) => {
    if (!KINDS.includes(flags)) throw refuse(STATUS.INVALID_PARAMETER);
    if (length > 0n && offset + length > RANGE_END) throw refuse(STATUS.INVALID_LOCK_RANGE);
    return { offset, length, isExclusive: (flags & LOCK_FLAG.EXCLUSIVE) !== 0 };
  });
}

async function lockAll(request: Request, open: Open, elements: readonly LockElement[]): Promise<void> {
  const mayWait = elements.some(({ flags }) => (flags & LOCK_FLAG.FAIL_IMMEDIATELY) === 0);
  if (mayWait && elements.length > 1) throw refuse(STATUS.INVALID_PARAMETER);
  const ranges = rangesOf(elements);
  if (open.lockCount + ranges.length > SMB_LIMITS.locksPerOpenMax)
    throw refuse(STATUS.INSUFFICIENT_RESOURCES);
  await breakForWrite(request, open);
  if (!(await tryLock(open, ranges))) {
    if (!mayWait) throw refuse(STATUS.LOCK_NOT_GRANTED);
    await waitForLock(request, open, ranges);
  }
}

const LOCK_STATUSES = {
  ...BY_HANDLE,
  FileLockConflict: STATUS.LOCK_NOT_GRANTED,
  TooManyOpenHandles: STATUS.INSUFFICIENT_RESOURCES,
};

async function tryLock(open: Open, ranges: readonly Lock[]): Promise<boolean> {
  try {
    await withStatus(open.file.lock(ranges), LOCK_STATUSES);
  } catch (error) {
    if (error instanceof StatusError && error.status === STATUS.LOCK_NOT_GRANTED) return false;
    throw error;
  }
  open.lockCount += ranges.length;
  return true;
}

/** Tries again, in order of arrival, when a lock is released, and regularly for locks of other processes. */
async function waitForLock(request: Request, open: Open, ranges: readonly Lock[]): Promise<void> {
  const { inode } = open;
  if (inode === undefined) throw refuse(STATUS.FILE_CLOSED);
  let attempt: () => Promise<boolean> = async () => true;
  let isOver = false;
  let last: Promise<boolean> = Promise.resolve(false);
  const granted = new Promise<void>((resolve, reject) => {
    const tryOnce = async (): Promise<boolean> => {
      if (isOver) return true;
      try {
        if (!(await tryLock(open, ranges))) return false;
        isOver = true;
        resolve();
      } catch (error) {
        reject(error);
      }
      return true;
    };
    // In sequence: two attempts at once could both place a shared lock.
    attempt = () => {
      last = last.then(tryOnce);
      return last;
    };
  });
  const end = (status: number): void => request.cancel(status);
  inode.lockWaiters.add(attempt);
  open.blockedLocks.add(end);
  const { inodes, timers } = request.context;
  const retry = timers.every(SMB_LIMITS.lockRetryMillis, () => inodes.locksChanged(inode));
  try {
    await request.wait(granted);
  } finally {
    isOver = true;
    retry.cancel();
    inode.lockWaiters.delete(attempt);
    open.blockedLocks.delete(end);
  }
}
