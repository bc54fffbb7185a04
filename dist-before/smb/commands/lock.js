import { SMB_LIMITS } from "../../base/limits-smb.js";
import { success } from "../request.js";
import { refuse, STATUS, StatusError } from "../status.js";
import { decodeLockRequest, LOCK_FLAG } from "../wire/lock.js";
import { emptyBody } from "../wire/session-setup.js";
import { breakForWrite } from "./rights.js";
const KINDS = [
    LOCK_FLAG.SHARED,
    LOCK_FLAG.EXCLUSIVE,
    LOCK_FLAG.SHARED | LOCK_FLAG.FAIL_IMMEDIATELY,
    LOCK_FLAG.EXCLUSIVE | LOCK_FLAG.FAIL_IMMEDIATELY,
];
const DONE = () => success(emptyBody.encode({}));
export async function lock(request) {
    const { fileId, locks, lockSequence } = decodeLockRequest(request.pdu);
    const open = request.file(fileId);
    if (open.file.kind === "directory")
        throw refuse(STATUS.INVALID_DEVICE_REQUEST);
    if (locks.length > SMB_LIMITS.locksPerRequestMax)
        throw refuse(STATUS.INVALID_PARAMETER);
    const sequence = sequenceOf(open, lockSequence);
    if (sequence?.isReplay === true)
        return DONE();
    if (sequence !== undefined)
        open.lockSequences.delete(sequence.index);
    const isUnlock = locks[0].flags === LOCK_FLAG.UNLOCK;
    if (isUnlock)
        await unlockAll(request, open, locks);
    else
        await lockAll(request, open, locks);
    if (sequence !== undefined)
        open.lockSequences.set(sequence.index, sequence.number);
    return DONE();
}
const SEQUENCE_INDEX_MAX = 64;
/** A client that lost its connection sends its LOCK again: what was done is not done twice. */
function sequenceOf(open, lockSequence) {
    const index = lockSequence >>> 4;
    const number = lockSequence & 0xf;
    if (open.durability === undefined || index < 1 || index > SEQUENCE_INDEX_MAX)
        return undefined;
    return { index, number, isReplay: open.lockSequences.get(index) === number };
}
/** One after the other: a wrong element ends it, and those before it stay unlocked. */
async function unlockAll(request, open, elements) {
    try {
        for (const { flags, offset, length } of elements) {
            if (flags !== LOCK_FLAG.UNLOCK)
                throw refuse(STATUS.INVALID_PARAMETER);
            await open.file.unlock(offset, length);
            open.lockCount--;
        }
    }
    finally {
        wake(request, open);
    }
}
function wake(request, open) {
    const { nodes } = request.connection.server;
    const node = nodes.find(open.tree.share.id, open.file.node);
    if (node !== undefined)
        nodes.locksChanged(node);
}
const RANGE_END = 2n ** 64n;
function rangesOf(elements) {
    return elements.map(({ offset, length, flags }) => {
        if (!KINDS.includes(flags))
            throw refuse(STATUS.INVALID_PARAMETER);
        if (length > 0n && offset + length > RANGE_END)
            throw refuse(STATUS.INVALID_LOCK_RANGE);
        return { offset, length, isExclusive: (flags & LOCK_FLAG.EXCLUSIVE) !== 0 };
    });
}
async function lockAll(request, open, elements) {
    const mayWait = elements.some(({ flags }) => (flags & LOCK_FLAG.FAIL_IMMEDIATELY) === 0);
    if (mayWait && elements.length > 1)
        throw refuse(STATUS.INVALID_PARAMETER);
    const ranges = rangesOf(elements);
    if (open.lockCount + ranges.length > SMB_LIMITS.locksPerOpenMax)
        throw refuse(STATUS.INSUFFICIENT_RESOURCES);
    await breakForWrite(request, open);
    if (!(await tryLock(open, ranges))) {
        if (!mayWait)
            throw refuse(STATUS.LOCK_NOT_GRANTED);
        await waitForLock(request, open, ranges);
    }
}
async function tryLock(open, ranges) {
    try {
        await open.file.lock(ranges);
    }
    catch (error) {
        if (error instanceof StatusError && error.status === STATUS.LOCK_NOT_GRANTED)
            return false;
        throw error;
    }
    open.lockCount += ranges.length;
    return true;
}
/** Tried again whenever a lock of the file goes, in the order of arrival. */
async function waitForLock(request, open, ranges) {
    const { nodes } = request.connection.server;
    const node = nodes.find(open.tree.share.id, open.file.node);
    let attempt = async () => true;
    let isOver = false;
    const granted = new Promise((resolve, reject) => {
        attempt = async () => {
            if (isOver)
                return true;
            try {
                if (!(await tryLock(open, ranges)))
                    return false;
                resolve();
            }
            catch (error) {
                reject(error);
            }
            return true;
        };
    });
    const end = (status) => request.cancel(status);
    node.lockWaiters.add(attempt);
    open.blockedLocks.add(end);
    try {
        await request.wait(granted, () => { });
    }
    finally {
        isOver = true;
        node.lockWaiters.delete(attempt);
        open.blockedLocks.delete(end);
    }
}
