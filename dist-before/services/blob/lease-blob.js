import { Refusal } from "../../base/refusals.js";
import { checkWrite } from "../../concurrency/conditions.js";
import { applyLeaseAction } from "../lease-action.js";
import { findBlob, putBlobRecord } from "./blobs.js";
import { leaseOf, throwIf, withLease } from "./containers.js";
/** Lease Blob. Also of a blob that has only uncommitted blocks so far. The ETag stays, and no version is made. */
export async function leaseBlob(blobs, request) {
    const { ref } = request;
    return blobs.parts.store.write(async (write) => {
        const { container, stored, blob } = await findBlob(write, ref);
        const record = stored?.isUncommitted === true ? stored : blob;
        if (record === undefined)
            throw new Refusal("BlobNotFound");
        throwIf(checkWrite(request.conditions, blob, "change"));
        if (record.copy?.status === "pending")
            throw new Refusal("PendingCopyOperation");
        const result = applyLeaseAction(leaseOf(record), request.lease, write.now());
        putBlobRecord(write, { container, ref }, stored, withLease(record, result.lease));
        return { ...result, revision: record.revision };
    });
}
