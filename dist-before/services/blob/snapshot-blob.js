import { Refusal } from "../../base/refusals.js";
import { checkWrite } from "../../concurrency/conditions.js";
import { checkLeaseRead } from "../../concurrency/lease.js";
import { findBlob, putBlobRecord } from "./blobs.js";
import { leaseOf, throwIf } from "./containers.js";
import { shareBlobContent } from "./content.js";
import { checkKey } from "./get-blob.js";
import { putPast } from "./replace-blob.js";
/**
 * Snapshot Blob: a past state that shares the bytes of the present one. It needs no lease id, and carries no
 * lease. With metadata of its own it has an ETag of its own; otherwise the one of the blob.
 */
export async function snapshotBlob(blobs, request) {
    const { ref, metadata } = request;
    return blobs.parts.store.write(async (write) => {
        const { container, blob } = await findBlob(write, ref);
        if (blob === undefined)
            throw new Refusal("BlobNotFound");
        throwIf(checkLeaseRead(leaseOf(blob), request.leaseId, write.now(), "Blob"));
        throwIf(checkWrite(request.conditions, blob, "change"));
        if (blob.copy?.status === "pending")
            throw new Refusal("PendingCopyOperation");
        if (blob.tier === "Archive")
            throw new Refusal("BlobArchived");
        checkKey(blob, request.keySha256);
        const place = { container, ref };
        await shareBlobContent(blobs.parts.payloads, write, blob.content);
        const snapshot = write.revision(blob.revision);
        const hasOwn = Object.keys(metadata).length > 0;
        const own = hasOwn ? { metadata, revision: snapshot } : {};
        putPast(write, place, snapshot, { ...blob, ...own, past: "snapshot" });
        const revision = hasOwn ? snapshot : blob.revision;
        if (!blobs.isVersioned)
            return { snapshot, revision, version: undefined };
        // With versioning on, taking a snapshot makes a new version of the blob as well; its content is the same.
        await shareBlobContent(blobs.parts.payloads, write, blob.content);
        const version = blob.version ?? blob.revision;
        putPast(write, place, version, { ...blob, version, past: "version" });
        const next = write.revision(snapshot);
        putBlobRecord(write, place, blob, { ...blob, version: next });
        return { snapshot, revision, version: next };
    });
}
