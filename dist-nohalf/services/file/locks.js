import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { conflictingLock, mayRead, mayWrite, withoutLock, } from "../../concurrency/byte-range-lock.js";
import { handleKey, locksKey } from "../../store/keys/file.js";
import { locksRecord } from "../../store/records/file.js";
import { readOpens } from "./access.js";
/** Byte-range locks of a handle. They live and go with it. */
async function readOwn(write, { share, node, id }) {
    if ((await write.get(handleKey(share, node, id))) === undefined)
        throw new Refusal("ResourceNotFound");
    const stored = await write.get(locksKey(share, node, id));
    return stored === undefined ? [] : locksRecord.unpack(stored).locks;
}
/** Takes all of the locks, or none of them (FileLockConflict). */
export async function lockRanges(files, handle, wanted) {
    const { share, node, id } = handle;
    await files.parts.store.ephemeral.write(async (write) => {
        const own = [...(await readOwn(write, handle))];
        const held = [...(await readOpens(write, share, node)).locks];
        for (const { offset, length, isExclusive } of wanted) {
            const lock = { offset, length, isExclusive };
            if (conflictingLock(held, lock, id) !== undefined)
                throw new Refusal("FileLockConflict");
            held.push({ ...lock, handle: id });
            own.push(lock);
        }
        if (own.length > FILE_LIMITS.locksPerHandleMax)
            throw new Refusal("TooManyOpenHandles");
        write.put(locksKey(share, node, id), locksRecord.pack({ locks: own }));
    });
}
/** Gives locks back, each named exactly as it was taken. "notLocked": one of them was not there; the others went. */
export function unlockRanges(files, handle, ranges) {
    const { share, node, id } = handle;
    return files.parts.store.ephemeral.write(async (write) => {
        let own = await readOwn(write, handle);
        let outcome = "unlocked";
        for (const range of ranges) {
            const left = withoutLock(own, range);
            if (left === undefined) {
                outcome = "notLocked";
                break;
            }
            own = left;
        }
        const key = locksKey(share, node, id);
        if (own.length === 0)
            write.delete(key);
        else
            write.put(key, locksRecord.pack({ locks: own }));
        return outcome;
    });
}
/** Whether the locks of others let this handle read or write here. */
export function mayAccess(files, { share, node, id }, range, use) {
    return files.parts.store.ephemeral.read(async (read) => {
        const { locks } = await readOpens(read, share, node);
        return use === "read" ? mayRead(locks, range, id) : mayWrite(locks, range, id);
    });
}
