import { Refusal } from "../../base/refusals.ts";
import { isLocked } from "../../concurrency/lease.ts";
import { leaseOf } from "../lease-action.ts";
import { NO_CONTENT } from "../payload/content.ts";
import { checkBlobLease, findBlob, putBlobRecord } from "./blobs.ts";
import { releaseBlobContent } from "./content.ts";
import type { BlobContext } from "./context.ts";
import type { BlobRef } from "./names.ts";

/** Abort Copy Blob. The pending copy has already replaced the former content, so the blob stays, empty. */
export async function abortCopyBlob(
  { store, payloads }: BlobContext,
  request: { readonly ref: BlobRef; readonly leaseId: string | undefined; readonly copyId: string },
): Promise<void> {
  await store.write(async (write) => {
    const found = await findBlob(write, request.ref);
    const { stored, blob } = found;
    if (blob === undefined) throw new Refusal("BlobNotFound");
    // An id that is sent without a lease in force is not refused here.
    if (isLocked(leaseOf(blob), write.now())) checkBlobLease(write, blob, request.leaseId, "write");
    if (blob.copy?.status !== "pending") throw new Refusal("NoPendingCopyOperation");
    if (blob.copy.id !== request.copyId) throw new Refusal("CopyIdMismatch");
    await releaseBlobContent(payloads, write, blob.content);
    const copy = { ...blob.copy, status: "aborted", completedAt: write.now() } as const;
    const revision = write.revision(blob.revision);
    putBlobRecord(write, found, stored, { ...blob, content: NO_CONTENT, length: 0, revision, copy });
  });
}
