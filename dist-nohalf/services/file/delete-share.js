import { Refusal } from "../../base/refusals.js";
import { etagOf } from "../../base/revision.js";
import { checkShareUse } from "../../concurrency/file-lease.js";
import { isLocked } from "../../concurrency/lease.js";
import { deletedShareKey, garbageKey, purgeKey, shareKey, snapshotKey } from "../../store/keys/file.js";
import { garbageRecord, purgeRecord, shareRecord, snapshotRecord, } from "../../store/records/file.js";
import { checkShareName } from "./names.js";
import { findShare, leaseOf, putShare, readShare, readSnapshot, readUsage, throwIf, withLease, } from "./shares.js";
import { dropSnapshot, isAnyLeased, readSnapshots } from "./snapshots.js";
const DAY_MILLIS = 24 * 60 * 60_000;
/**
 * One write, whatever the share holds: the name goes, and its contents with it, since they are found through its
 * id. While deleted shares are kept, share and contents wait instead, and can be had back.
 */
export async function deleteShare(files, request) {
    const { ref, leaseId, snapshots } = request;
    return files.change(async (write) => {
        const share = await readShare(write, ref);
        if (ref.snapshot !== undefined) {
            await deleteSnapshot(write, ref, share, ref.snapshot, leaseId);
            return { bytes: 0 };
        }
        throwIf(checkShareUse(leaseOf(share), leaseId, write.now(), "delete"));
        if ((share.snapshots ?? 0) > 0) {
            if (snapshots === undefined)
                throw new Refusal("ShareHasSnapshots");
            const all = await readSnapshots(write, share.id);
            if (snapshots === "include" && isAnyLeased(write, all))
                throw new Refusal("DeleteShareWhenSnapshotLeased");
        }
        const bytes = await readUsage(write, share.id);
        write.delete(shareKey(ref.account, ref.share));
        if (files.shareRetentionDays === 0)
            discardShare(write, share.id);
        else
            await keepDeleted(write, ref, share, files.shareRetentionDays);
        return { bytes };
    });
}
async function deleteSnapshot(write, ref, share, time, leaseId) {
    const snapshot = await readSnapshot(write, share.id, time);
    throwIf(checkShareUse(leaseOf(snapshot), leaseId, write.now(), "delete"));
    await dropSnapshot(write, ref, share, { ...snapshot, time });
}
/** Everything of a share, for the reclaimer to take apart. */
export function discardShare(write, share) {
    write.put(garbageKey(write.revision()), garbageRecord.pack({ what: "share", share }));
}
/** The lease does not come back with the share: one in force is broken. */
async function keepDeleted(write, ref, share, days) {
    const at = write.now();
    const until = at + days * DAY_MILLIS;
    const deletion = write.revision(share.revision);
    const lease = leaseOf(share);
    const isBroken = isLocked(lease, at) && lease.state !== "available";
    const kept = isBroken ? withLease(share, { state: "broken", id: lease.id }) : share;
    for (const snapshot of await readSnapshots(write, share.id)) {
        const { time, ...record } = snapshot;
        if (record.lease === undefined)
            continue;
        write.put(snapshotKey(share.id, time), snapshotRecord.pack(withLease(record, { state: "available" })));
    }
    const key = deletedShareKey(ref.account, ref.share, deletion);
    write.put(key, shareRecord.pack({ ...kept, deleted: { at, until } }));
    write.put(purgeKey(until, deletion), purgeRecord.pack({ account: ref.account, name: ref.share }));
}
/** What listings call the version of a deleted share. */
export const versionOfDeletion = etagOf;
const VERSION = /^0x([0-9A-F]{1,16})$/i;
export function restoreShare(files, request) {
    const { ref, deletedName, deletedVersion } = request;
    checkShareName(ref.share);
    const version = VERSION.exec(deletedVersion);
    return files.change(async (write) => {
        const deletion = version === null ? undefined : BigInt(`0x${version[1]}`);
        const key = deletion === undefined ? undefined : deletedShareKey(ref.account, deletedName, deletion);
        const stored = key === undefined ? undefined : await write.get(key);
        const record = stored && shareRecord.unpack(stored);
        if (record?.deleted === undefined || record.deleted.until <= write.now())
            throw new Refusal("ShareNotFound");
        if ((await findShare(write, ref)) !== undefined)
            throw new Refusal("ShareAlreadyExists");
        const { deleted, ...rest } = record;
        write.delete(key);
        write.delete(purgeKey(deleted.until, deletion));
        const { lease: _, isOpened: __, ...free } = rest;
        const restored = { ...free, revision: write.revision(record.revision) };
        putShare(write, ref, restored);
        return restored;
    });
}
