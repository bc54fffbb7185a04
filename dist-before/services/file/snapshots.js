import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { revisionAt } from "../../base/revision.js";
import { isLocked } from "../../concurrency/lease.js";
import { garbageKey, snapshotKey, snapshotsOf, timeOfSnapshotKey } from "../../store/keys/file.js";
import { garbageRecord, snapshotRecord, } from "../../store/records/file.js";
import { leaseOf, putShare, readShare } from "./shares.js";
const TICKS_PER_SECOND = 10000000n;
/**
 * A snapshot is named by a time of whole seconds: clients print it so, and the previous versions of SMB know no
 * finer one. Two in one second get two seconds.
 */
async function nextTime(write, share) {
    const now = revisionAt(write.now()) / TICKS_PER_SECOND;
    for await (const { key } of write.range({ ...snapshotsOf(share), reverse: true, limit: 1 })) {
        const last = timeOfSnapshotKey(key) / TICKS_PER_SECOND;
        return (last >= now ? last + 1n : now) * TICKS_PER_SECOND;
    }
    return now * TICKS_PER_SECOND;
}
export function createSnapshot(files, ref, metadata) {
    return files.change(async (write) => {
        const share = await readShare(write, ref);
        const snapshots = share.snapshots ?? 0;
        if (snapshots >= FILE_LIMITS.shareSnapshotsMax)
            throw new Refusal("ShareSnapshotCountExceeded");
        const epoch = write.revision(share.revision);
        const time = await nextTime(write, share.id);
        const kept = metadata === undefined || Object.keys(metadata).length === 0 ? share.metadata : metadata;
        const record = {
            epoch,
            revision: share.revision,
            settings: share.settings,
            ...(kept === undefined ? {} : { metadata: kept }),
        };
        write.put(snapshotKey(share.id, time), snapshotRecord.pack(record));
        putShare(write, ref, { ...share, epoch, snapshots: snapshots + 1 });
        return { ...record, time };
    });
}
/** Snapshots of a share, oldest first. */
export async function readSnapshots(read, share) {
    const found = [];
    for await (const { key, value } of read.range(snapshotsOf(share))) {
        found.push({ ...snapshotRecord.unpack(value), time: timeOfSnapshotKey(key) });
    }
    return found;
}
/** The newest epoch not above `epoch` that a snapshot still has; 0 when there is none. */
export async function epochUpTo(read, share, epoch) {
    let found = 0n;
    for (const snapshot of await readSnapshots(read, share)) {
        if (snapshot.epoch <= epoch && snapshot.epoch > found)
            found = snapshot.epoch;
    }
    return found;
}
/** Forgets a snapshot; what was kept for it alone is removed in the background. */
export async function dropSnapshot(write, ref, share, { time, epoch }) {
    write.delete(snapshotKey(share.id, time));
    const garbage = { what: "epoch", share: share.id, epoch };
    write.put(garbageKey(write.revision()), garbageRecord.pack(garbage));
    const { epoch: _, ...rest } = share;
    const newest = await epochUpTo(write, share.id, share.epoch ?? 0n);
    const left = {
        ...rest,
        snapshots: (share.snapshots ?? 0) - 1,
        ...(newest === 0n ? {} : { epoch: newest }),
    };
    putShare(write, ref, left);
    return left;
}
export function isAnyLeased(read, snapshots) {
    return snapshots.some((snapshot) => isLocked(leaseOf(snapshot), read.now()));
}
