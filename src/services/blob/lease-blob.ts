import { Refusal } from "../../base/refusals.ts";
import { type Conditions, checkWrite } from "../../concurrency/conditions.ts";
import { applyLeaseAction, type LeaseAction, type LeaseResult } from "../lease-action.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob, putBlobRecord } from "./blobs.ts";
import { leaseOf, throwIf, withLease } from "./containers.ts";
import type { BlobRef } from "./names.ts";

/** Lease Blob. Also of a blob that has only uncommitted blocks so far. The ETag stays, and no version is made. */
export async function leaseBlob(
  blobs: BlobService,
  request: { readonly ref: BlobRef; readonly conditions: Conditions; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  const { ref } = request;
  return blobs.parts.store.write(async (write) => {
    const { container, stored, blob } = await findBlob(write, ref);
    const record = stored?.isUncommitted === true ? stored : blob;
    if (record === undefined) throw new Refusal("BlobNotFound");
    throwIf(checkWrite(request.conditions, blob, "change"));
    if (record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const result = applyLeaseAction(leaseOf(record), request.lease, write.now());
    putBlobRecord(write, { container, ref }, stored, withLease(record, result.lease));
    return { ...result, revision: record.revision };
  });
}
