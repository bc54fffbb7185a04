import { Refusal } from "../../base/refusals.ts";
import { type Conditions, checkWrite } from "../../concurrency/conditions.ts";
import { checkLeaseWrite } from "../../concurrency/lease.ts";
import type { Tags } from "../../concurrency/tag-predicate.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { checkReadLease, putBlobRecord, readState, type Selector } from "./blobs.ts";
import { leaseOf, throwIf } from "./containers.ts";
import type { BlobRef } from "./names.ts";
import { putVersionOrSnapshot } from "./replace-blob.ts";

export interface TagsOfBlob {
  readonly ref: BlobRef;
  readonly selector: Selector;
  readonly conditions: Conditions;
  readonly leaseId: string | undefined;
}

export async function getBlobTags(blobs: BlobService, request: TagsOfBlob): Promise<Tags> {
  return blobs.parts.store.read(async (read) => {
    const state = await readState(read, request.ref, request.selector);
    checkReadLease(read, state, request.leaseId);
    throwIf(checkWrite(request.conditions, state.record, "change"));
    return state.record.tags ?? {};
  });
}

/** Tags are beside the blob, not of it: no new ETag, no version. */
export async function setBlobTags(
  blobs: BlobService,
  request: TagsOfBlob & { readonly tags: Tags },
): Promise<void> {
  const { ref, selector, tags } = request;
  await blobs.parts.store.write(async (write) => {
    const { container, record, isCurrent } = await readState(write, ref, selector);
    if (selector.snapshot !== undefined) throw new Refusal("InvalidOperation");
    if (isCurrent) throwIf(checkLeaseWrite(leaseOf(record), request.leaseId, write.now(), "Blob"));
    throwIf(checkWrite(request.conditions, record, "change"));
    if (record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const { tags: _, ...rest } = record;
    const after: BlobRecord = Object.keys(tags).length === 0 ? rest : { ...rest, tags };
    const place = { container, ref };
    if (isCurrent) putBlobRecord(write, place, record, after);
    else putVersionOrSnapshot(write, place, selector.version!, after, record);
  });
}
