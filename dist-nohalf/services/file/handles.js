import { pause } from "../../base/clock.js";
import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { isLocked } from "../../concurrency/lease.js";
import { areCompatible, DELETE, mayOpen, mayOpenLeased, NO_ACCESS, } from "../../concurrency/share-mode.js";
import { closingShareKey, deletePendingKey, handleKey, handlesOfNode, locksKey, restAccessesOfNode, } from "../../store/keys/file.js";
import { deletePendingRecord, handleRecord, restAccessRecord, } from "../../store/records/file.js";
import { readOpens } from "./access.js";
import { isReadOnly } from "./attributes.js";
import { unlinkFile } from "./delete-file.js";
import { findAny, findNode, isEmptyDirectory, ROOT, removeEntry, removeNode } from "./nodes.js";
import { markOpened } from "./opened-marks.js";
import { findShare, leaseOf, readShare, refuseSnapshot } from "./shares.js";
import { LiveView } from "./versions.js";
/** Throws SharingViolation, SMBDeletePending, TooManyOpenHandles, or what finding the path throws. */
export async function openHandle(files, request) {
    const { ref } = request;
    refuseSnapshot(ref);
    const { store } = files.parts;
    const { share, node } = await store.read(async (read) => {
        const found = await readShare(read, ref);
        return { share: found.id, node: await findAny(new LiveView(read), found.id, ref.path) };
    });
    const id = await placeHandle(files, request, share, node);
    const handle = { ref: { account: ref.account, share: ref.share }, share, node: node.id, id };
    try {
        await markOpened(files, ref, share);
        // Whatever REST did before it could see the handle is visible now: deleted, or leased.
        const opened = await store.read(async (read) => {
            const now = await findShare(read, ref);
            const record = now?.id === share ? await findNode(new LiveView(read), share, node.id) : undefined;
            if (record === undefined)
                throw new Refusal("ResourceNotFound");
            const isLeased = isLocked(leaseOf(record), read.now());
            if (isLeased && !mayOpenLeased(request.access))
                throw new Refusal("SharingViolation");
            return { id: node.id, record };
        });
        return { ...handle, opened };
    }
    catch (error) {
        await store.ephemeral.write(async (write) => write.delete(handleKey(share, node.id, id)));
        throw error;
    }
}
/** A REST call is under way, or the mark of the share is being taken away: soon over. */
const BUSY = Symbol("busy");
async function placeHandle({ parts: { store } }, request, share, { id: node, record }) {
    for (let tries = 0; tries < FILE_LIMITS.openRetriesMax; tries++) {
        const placed = await store.ephemeral.write(async (write) => {
            if ((await write.get(closingShareKey(share))) !== undefined)
                return BUSY;
            if ((await write.get(deletePendingKey(share, node))) !== undefined)
                throw new Refusal("SMBDeletePending");
            const { handles } = await readOpens(write, share, node);
            const limit = node === ROOT ? FILE_LIMITS.handlesPerRootMax : FILE_LIMITS.handlesPerNodeMax;
            if (handles.length >= limit)
                throw new Refusal("TooManyOpenHandles");
            if (!mayOpen(request, handles))
                throw new Refusal("SharingViolation");
            if (!(await isFreeOfRest(write, share, node, request)))
                return BUSY;
            const id = write.revision();
            const handle = {
                kind: record.kind,
                access: request.access,
                share: request.share,
                openedAt: write.now(),
                session: request.session,
                clientAddress: request.clientAddress,
                clientName: request.clientName,
                isDeleteOnClose: request.isDeleteOnClose ?? false,
                owner: store.ephemeral.owner,
            };
            write.put(handleKey(share, node, id), handleRecord.pack(handle));
            return id;
        });
        if (placed !== BUSY)
            return placed;
        await pause(FILE_LIMITS.openRetryMillis);
    }
    throw new Refusal("SharingViolation");
}
async function isFreeOfRest(write, share, node, wanted) {
    if (wanted.access === NO_ACCESS)
        return true;
    for await (const { value } of write.range(restAccessesOfNode(share, node))) {
        if (!areCompatible(wanted, restAccessRecord.unpack(value)))
            return false;
    }
    return true;
}
/** The handle as it is stored; undefined once it was closed, also by Force Close. */
export function findHandle(files, { share, node, id }) {
    return files.parts.store.ephemeral.read(async (read) => {
        const stored = await read.get(handleKey(share, node, id));
        return stored === undefined ? undefined : handleRecord.unpack(stored);
    });
}
/** Closes a handle; its locks go with it, and with the last handle a file that waits for its deletion. */
export async function closeHandle(files, handle) {
    return endHandle(files, handle, { isForced: false });
}
/** As closing, but a client that was cut off did not ask for its delete-on-close. */
export async function endHandle(files, handle, { isForced }) {
    const { share, node, id } = handle;
    const { ephemeral } = files.parts.store;
    const outcome = await ephemeral.write(async (write) => {
        const key = handleKey(share, node, id);
        const stored = await write.get(key);
        if (stored === undefined)
            return "unknown";
        write.delete(key);
        write.delete(locksKey(share, node, id));
        const pendingKey = deletePendingKey(share, node);
        let isPending = (await write.get(pendingKey)) !== undefined;
        if (!isPending && !isForced && handleRecord.unpack(stored).isDeleteOnClose) {
            write.put(pendingKey, deletePendingRecord.pack({ by: id }));
            isPending = true;
        }
        if (!isPending)
            return "closed";
        for await (const _ of write.range({ ...handlesOfNode(share, node), limit: 1 }))
            return "closed";
        return "last";
    });
    // The note that it is pending stays until the file is gone: nobody may open it in between.
    if (outcome === "last")
        await removePending(files, handle);
    return outcome === "unknown" ? "unknown" : "closed";
}
async function removePending(files, { ref, share: id, node }) {
    const { store } = files.parts;
    try {
        await store.write(async (write) => {
            const share = await findShare(write, ref);
            if (share?.id !== id)
                return;
            const view = new LiveView(write);
            const record = await findNode(view, id, node);
            if (record === undefined)
                return;
            if (record.kind === "file")
                await unlinkFile(write, share, { id: node, record });
            else if (await isEmptyDirectory(view, id, node)) {
                await removeEntry(write, share, record.parent, record.name);
                await removeNode(write, share, node);
            }
        });
    }
    finally {
        await store.ephemeral.write(async (write) => write.delete(deletePendingKey(id, node)));
    }
}
/** Marks a file or directory for deletion when its last handle closes, or takes the mark back. */
export async function setDeletePending(files, handle, isPending) {
    const { share, node, id } = handle;
    const { store } = files.parts;
    if (isPending)
        await checkDeletable(files, handle);
    await store.ephemeral.write(async (write) => {
        const stored = await write.get(handleKey(share, node, id));
        if (stored === undefined)
            throw new Refusal("ResourceNotFound");
        if ((handleRecord.unpack(stored).access & DELETE) === 0)
            throw new Refusal("AuthorizationPermissionMismatch");
        const key = deletePendingKey(share, node);
        if (isPending)
            write.put(key, deletePendingRecord.pack({ by: id }));
        else
            write.delete(key);
    });
}
async function checkDeletable(files, { ref, share: id, node }) {
    await files.parts.store.read(async (read) => {
        const share = await readShare(read, ref);
        const view = new LiveView(read);
        const record = share.id === id ? await findNode(view, id, node) : undefined;
        if (record === undefined)
            throw new Refusal("ResourceNotFound");
        if (node === ROOT || isReadOnly(record))
            throw new Refusal("CannotDeleteFileOrDirectory");
        if (record.kind === "directory" && !(await isEmptyDirectory(view, id, node))) {
            throw new Refusal("DirectoryNotEmpty");
        }
    });
}
