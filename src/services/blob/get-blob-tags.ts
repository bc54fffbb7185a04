import { throwIf } from "../../base/refusals.ts";
import { checkWrite } from "../../concurrency/conditions.ts";
import type { Tags } from "../../concurrency/tag-predicate.ts";
import { checkReadLease, type GuardedState, readState } from "./blobs.ts";
import type { BlobContext } from "./context.ts";

export async function getBlobTags(blobs: BlobContext, request: GuardedState): Promise<Tags> {
  return blobs.store.read(async (read) => {
    const state = await readState(read, request.ref, request.selector);
    checkReadLease(read, state, request.leaseId);
    throwIf(checkWrite(request.conditions, state.record, "change"));
    return state.record.tags ?? {};
  });
}
