import { throwIf } from "../../base/refusals.ts";
import { checkWrite } from "../../concurrency/conditions.ts";
import { checkImmutabilityChange, type Immutability } from "../../concurrency/immutability.ts";
import { checkNewImmutability } from "./blobs.ts";
import type { Guards } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import { changeImmutability, type StateRef } from "./release-immutability.ts";

/**
 * Set Immutability Policy: until its date the blob can be neither changed nor deleted. An unlocked policy can
 * be changed in any way or deleted; a locked one can only be extended.
 */
export async function setImmutabilityPolicy(
  blobs: BlobContext,
  request: StateRef & Pick<Guards, "conditions"> & { readonly immutability: Immutability },
): Promise<Immutability> {
  const { immutability } = request;
  await changeImmutability(blobs, request, ({ container, record }, now) => {
    throwIf(checkWrite(request.conditions, record, "change"));
    checkNewImmutability(container, immutability, now);
    throwIf(checkImmutabilityChange(record.immutability, immutability, now));
    return { ...record, immutability };
  });
  return immutability;
}
