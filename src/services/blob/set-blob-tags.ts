import { Refusal, throwIf } from "../../base/refusals.ts";
import { checkWrite } from "../../concurrency/conditions.ts";
import type { Tags } from "../../concurrency/tag-predicate.ts";
import { checkBlobLease, checkNoPendingCopy, type GuardedState, readState } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { putState } from "./replace-blob.ts";

/** Set Blob Tags makes no new ETag and no version. */
export async function setBlobTags(
  blobs: BlobContext,
  request: GuardedState & { readonly tags: Tags },
): Promise<void> {
  const { ref, selector, tags } = request;
  await blobs.store.write(async (write) => {
    const state = await readState(write, ref, selector);
    const { record, isCurrent } = state;
    if (selector.snapshot !== undefined) throw new Refusal("InvalidOperation");
    if (isCurrent) checkBlobLease(write, record, request.leaseId, "write");
    throwIf(checkWrite(request.conditions, record, "change"));
    checkNoPendingCopy(record);
    const { tags: _, ...rest } = record;
    putState(write, state, selector, Object.keys(tags).length === 0 ? rest : { ...rest, tags });
  });
}
