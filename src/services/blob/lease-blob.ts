import { Refusal, throwIf } from "../../base/refusals.ts";
import { type Conditions, checkWrite } from "../../concurrency/conditions.ts";
import { applyLeaseAction, type LeaseAction, type LeaseResult, leaseOf, withLease } from "../lease-action.ts";
import { checkNoPendingCopy, findBlob, putBlobRecord } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import type { BlobRef } from "./names.ts";

/** Lease Blob; also of a blob of uncommitted blocks only. It makes no new ETag and no version. */
export async function leaseBlob(
  blobs: BlobContext,
  request: { readonly ref: BlobRef; readonly conditions: Conditions; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, request.ref);
    const { stored, blob } = found;
    const record = stored?.isUncommitted === true ? stored : blob;
    if (record === undefined) throw new Refusal("BlobNotFound");
    throwIf(checkWrite(request.conditions, blob, "change"));
    checkNoPendingCopy(record);
    const result = applyLeaseAction(leaseOf(record), request.lease, write.now());
    putBlobRecord(write, found, stored, withLease(record, result.lease));
    return { ...result, revision: record.revision };
  });
}
