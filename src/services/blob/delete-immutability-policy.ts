import { throwIf } from "../../base/refusals.ts";
import { checkImmutabilityChange } from "../../concurrency/immutability.ts";
import type { BlobContext } from "./context.ts";
import { changeImmutability, type StateRef } from "./release-immutability.ts";

/** Delete Immutability Policy; also in a container that no longer allows new policies. */
export async function deleteImmutabilityPolicy(blobs: BlobContext, request: StateRef): Promise<void> {
  await changeImmutability(blobs, request, ({ record }, now) => {
    throwIf(checkImmutabilityChange(record.immutability, undefined, now));
    const { immutability: _, ...rest } = record;
    return rest;
  });
}
