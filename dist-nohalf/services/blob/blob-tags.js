import { Refusal } from "../../base/refusals.js";
import { checkWrite } from "../../concurrency/conditions.js";
import { checkLeaseWrite } from "../../concurrency/lease.js";
import { checkReadLease, putBlobRecord, readState } from "./blobs.js";
import { leaseOf, throwIf } from "./containers.js";
import { putPast } from "./replace-blob.js";
export async function getBlobTags(blobs, request) {
    return blobs.parts.store.read(async (read) => {
        const state = await readState(read, request.ref, request.selector);
        checkReadLease(read, state, request.leaseId);
        throwIf(checkWrite(request.conditions, state.record, "change"));
        return state.record.tags ?? {};
    });
}
/** Tags are beside the blob, not of it: no new ETag, no version. */
export async function setBlobTags(blobs, request) {
    const { ref, selector, tags } = request;
    await blobs.parts.store.write(async (write) => {
        const { container, record, isCurrent } = await readState(write, ref, selector);
        if (selector.snapshot !== undefined)
            throw new Refusal("InvalidOperation");
        if (isCurrent)
            throwIf(checkLeaseWrite(leaseOf(record), request.leaseId, write.now(), "Blob"));
        throwIf(checkWrite(request.conditions, record, "change"));
        if (record.copy?.status === "pending")
            throw new Refusal("PendingCopyOperation");
        const { tags: _, ...rest } = record;
        const after = Object.keys(tags).length === 0 ? rest : { ...rest, tags };
        const place = { container, ref };
        if (isCurrent)
            putBlobRecord(write, place, record, after);
        else
            putPast(write, place, selector.version, after);
    });
}
