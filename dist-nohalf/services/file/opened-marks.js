import { Refusal } from "../../base/refusals.js";
import { closingShareKey, handlesOfShare, OPENED_SHARES, openedShareKey, restAccessesOfShare, shareOfOpenedKey, } from "../../store/keys/file.js";
import { openedShareRecord } from "../../store/records/file.js";
import { findShare, putShare } from "./shares.js";
/**
 * The mark of a share that SMB clients have something open in it: what it is for is told in access.ts.
 *
 * An open puts its handle first and then looks for the mark, so the mark may be taken away only when no handle can
 * be on its way. Taking it away begins with a note in the ephemeral space, put in a transaction that saw no handle;
 * an open that meets the note waits until it is gone, and then finds that it must set the mark again.
 */
export async function markOpened(files, ref, id) {
    const isMarked = await files.parts.store.read(async (read) => (await findShare(read, ref))?.isOpened === true);
    if (isMarked)
        return;
    await files.parts.store.write(async (write) => {
        const share = await findShare(write, ref);
        if (share?.id !== id)
            throw new Refusal("ShareNotFound");
        putShare(write, ref, { ...share, isOpened: true });
        write.put(openedShareKey(id), openedShareRecord.pack({ account: ref.account, name: ref.share }));
    });
}
async function isInUse(read, share) {
    for (const range of [handlesOfShare(share), restAccessesOfShare(share)]) {
        for await (const _ of read.range({ ...range, limit: 1 }))
            return true;
    }
    return false;
}
/** Takes marks away where nothing is open. */
export async function forgetUnusedMarks(files) {
    const { store } = files.parts;
    const marked = await store.read(async (read) => {
        const found = [];
        for await (const { key, value } of read.range(OPENED_SHARES)) {
            const { account, name } = openedShareRecord.unpack(value);
            found.push({ id: shareOfOpenedKey(key), account, share: name });
        }
        return found;
    });
    for (const { id, ...ref } of marked)
        await forgetMark(files, ref, id);
    return "done";
}
async function forgetMark({ parts: { store } }, ref, id) {
    const note = closingShareKey(id);
    const isNoted = await store.ephemeral.write(async (write) => {
        if (await isInUse(write, id))
            return false;
        write.put(note, Buffer.alloc(1));
        return true;
    });
    if (!isNoted)
        return;
    try {
        await store.write(async (write) => {
            write.delete(openedShareKey(id));
            const share = await findShare(write, ref);
            if (share?.id !== id)
                return;
            const { isOpened: _, ...rest } = share;
            putShare(write, ref, rest);
        });
    }
    finally {
        await store.ephemeral.write(async (write) => write.delete(note));
    }
}
