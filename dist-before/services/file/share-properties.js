import { checkShareUse } from "../../concurrency/file-lease.js";
import { snapshotKey } from "../../store/keys/file.js";
import { snapshotRecord } from "../../store/records/file.js";
import { leaseOf, putShare, readShare, readSnapshot, readUsage, refuseSnapshot, throwIf } from "./shares.js";
export function getShare(files, { ref, leaseId }) {
    return files.read(async (read) => {
        const share = await readShare(read, ref);
        const facts = ref.snapshot === undefined ? share : await readSnapshot(read, share.id, ref.snapshot);
        throwIf(checkShareUse(leaseOf(facts), leaseId, read.now(), "other"));
        return { facts, share, now: read.now() };
    });
}
async function changeShare(files, { ref, leaseId }, change) {
    refuseSnapshot(ref);
    return files.change(async (write) => {
        const share = await readShare(write, ref);
        throwIf(checkShareUse(leaseOf(share), leaseId, write.now(), "other"));
        const changed = { ...change(share, write.now()), revision: write.revision(share.revision) };
        putShare(write, ref, changed);
        return changed;
    });
}
export function setShareMetadata(files, request) {
    return changeShare(files, request, (share) => ({ ...share, metadata: request.metadata }));
}
/** A quota below what is used is accepted: it stops growth and nothing else. */
export function setShareProperties(files, request) {
    const given = Object.fromEntries(Object.entries(request.changes).filter(([, value]) => value !== undefined));
    return changeShare(files, request, (share, now) => {
        const isNewTier = given.tier !== undefined && given.tier !== share.settings.tier;
        const tierChangedAt = isNewTier ? now : share.settings.tierChangedAt;
        return { ...share, settings: { ...share.settings, ...given, tierChangedAt } };
    });
}
export function setShareAcl(files, request) {
    return changeShare(files, request, (share) => ({ ...share, policies: request.policies }));
}
export function getShareStatistics(files, { ref, leaseId }) {
    return files.read(async (read) => {
        const share = await readShare(read, ref);
        throwIf(checkShareUse(leaseOf(share), leaseId, read.now(), "other"));
        return { revision: share.revision, bytes: await readUsage(read, share.id) };
    });
}
/** Puts what changed of a share or of one of its snapshots, as a lease does. */
export async function putFacts(write, ref, share, change) {
    if (ref.snapshot === undefined) {
        const changed = change(share);
        putShare(write, ref, changed);
        return changed;
    }
    const changed = change(await readSnapshot(write, share.id, ref.snapshot));
    write.put(snapshotKey(share.id, ref.snapshot), snapshotRecord.pack(changed));
    return changed;
}
