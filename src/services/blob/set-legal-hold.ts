import { checkNewImmutability } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { changeImmutability, type StateRef } from "./release-immutability.ts";

/** Set Blob Legal Hold: while it is on, the blob can be neither changed nor deleted. */
export async function setLegalHold(
  blobs: BlobContext,
  request: StateRef & { readonly hasLegalHold: boolean },
): Promise<void> {
  await changeImmutability(blobs, request, ({ container, record }, now) => {
    const { hasLegalHold: _, ...rest } = record;
    if (!request.hasLegalHold) return rest;
    checkNewImmutability(container, undefined, now);
    return { ...rest, hasLegalHold: true };
  });
}
