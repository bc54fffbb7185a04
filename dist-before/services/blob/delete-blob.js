import { Refusal } from "../../base/refusals.js";
import { checkWrite } from "../../concurrency/conditions.js";
import { checkLeaseWrite } from "../../concurrency/lease.js";
import { pastKey, pastOfBlob, pastOfKey } from "../../store/keys/blob.js";
import { blobRecord } from "../../store/records/blob.js";
import { checkMutable, findBlob, putBlobRecord, } from "./blobs.js";
import { leaseOf, throwIf } from "./containers.js";
import { releaseBlobContent } from "./content.js";
import { putPast, softDeletePast } from "./replace-blob.js";
import { discard, readSoftDelete } from "./retention.js";
/** Delete Blob: the blob with or without its snapshots, only its snapshots, or one state of its past. */
export async function deleteBlob(blobs, request) {
    const { ref, selector } = request;
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        const place = { container: found.container, ref };
        const softDelete = await readSoftDelete(write, ref.account);
        const past = selector.snapshot ?? selector.version;
        if (past !== undefined && !isCurrentVersion(found, selector)) {
            return deletePast(blobs, write, place, { ...request, at: past, softDelete });
        }
        if (request.isPermanent)
            throw new Refusal("PermanentDeleteNotAllowed");
        if (found.stored === undefined)
            throw new Refusal("BlobNotFound");
        if (request.snapshots === "only")
            return deleteSnapshots(blobs, write, place, found, request, softDelete);
        return deletePresent(blobs, write, place, found, request, softDelete);
    });
}
function isCurrentVersion({ blob }, { version }) {
    return version !== undefined && blob?.version === version;
}
async function deletePresent(blobs, write, place, { stored, blob }, request, softDelete) {
    throwIf(checkLeaseWrite(leaseOf(stored), request.leaseId, write.now(), "Blob"));
    throwIf(checkWrite(request.conditions, blob, "change"));
    if (blob?.copy?.status === "pending")
        throw new Refusal("PendingCopyOperation");
    if (blob !== undefined)
        checkMutable(blob, write.now());
    const snapshots = await snapshotsOf(write, place);
    if (snapshots.length > 0 && request.snapshots === undefined)
        throw new Refusal("SnapshotsPresent");
    for (const { at, record } of snapshots)
        await removePast(blobs, write, place, at, record, softDelete);
    if (stored.staging !== undefined)
        discard(write, { what: "staging", id: stored.staging });
    putBlobRecord(write, place, stored, undefined);
    if (blob === undefined)
        return { isPermanent: true };
    if (blobs.isVersioned && request.selector.version === undefined) {
        // What was current is now the newest of the versions.
        const version = blob.version ?? blob.revision;
        putPast(write, place, version, { ...blob, version, past: "version" });
        return { isPermanent: false };
    }
    if (softDelete === undefined) {
        await releaseBlobContent(blobs.parts.payloads, write, blob.content);
        return { isPermanent: true };
    }
    const at = write.revision(blob.revision);
    softDeletePast(write, place, at, { ...blob, past: "base" }, softDelete);
    return { isPermanent: false };
}
/** Only the snapshots: the lease of the blob itself guards the blob, not its past. */
async function deleteSnapshots(blobs, write, place, { blob }, request, softDelete) {
    if (blob === undefined)
        throw new Refusal("BlobNotFound");
    throwIf(checkWrite(request.conditions, blob, "change"));
    for (const { at, record } of await snapshotsOf(write, place)) {
        await removePast(blobs, write, place, at, record, softDelete);
    }
    return { isPermanent: softDelete === undefined };
}
async function deletePast(blobs, write, place, request) {
    const { at, softDelete, isPermanent } = request;
    if (request.snapshots !== undefined)
        throw new Refusal("InvalidQueryParameterValue");
    const stored = await write.get(pastKey(place.container.id, place.ref.blob, at));
    const record = stored && blobRecord.unpack(stored);
    const wanted = request.selector.snapshot === undefined ? "version" : "snapshot";
    if (record?.past !== wanted)
        throw new Refusal("BlobNotFound");
    throwIf(checkWrite(request.conditions, record, "change"));
    checkMutable(record, write.now());
    if (isPermanent) {
        // The second deletion of what was deleted softly, where the account allows it at all.
        if (record.deleted === undefined || softDelete?.allowsPermanentDelete !== true) {
            throw new Refusal("PermanentDeleteNotAllowed");
        }
        await removePast(blobs, write, place, at, record, undefined);
        return { isPermanent: true };
    }
    if (record.deleted !== undefined)
        throw new Refusal("BlobNotFound");
    await removePast(blobs, write, place, at, record, softDelete);
    return { isPermanent: softDelete === undefined };
}
async function removePast(blobs, write, place, at, record, softDelete) {
    checkMutable(record, write.now());
    if (softDelete !== undefined) {
        softDeletePast(write, place, at, record, softDelete);
        return;
    }
    write.delete(pastKey(place.container.id, place.ref.blob, at));
    await releaseBlobContent(blobs.parts.payloads, write, record.content);
}
/** Everything the blob was, oldest first. */
export async function pastOf(write, { container, ref }) {
    const found = [];
    for await (const { key, value } of write.range(pastOfBlob(container.id, ref.blob))) {
        found.push({ at: pastOfKey(key).revision, record: blobRecord.unpack(value) });
    }
    return found;
}
async function snapshotsOf(write, place) {
    const past = await pastOf(write, place);
    return past.filter(({ record }) => record.past === "snapshot" && record.deleted === undefined);
}
