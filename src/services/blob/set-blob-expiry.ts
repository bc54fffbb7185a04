import type { Instant } from "../../base/clock.ts";
import { instantOf } from "../../base/revision.ts";
import { checkBlobWrite, findBlob, type GuardedBlob } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { type Written, writtenOf } from "./new-blob.ts";
import { changeBlob } from "./replace-blob.ts";
import { scheduleDeadline } from "./retention.ts";

export type ExpiryRequest =
  | { readonly option: "NeverExpire" }
  | { readonly option: "RelativeToCreation" | "RelativeToNow"; readonly millis: number }
  | { readonly option: "Absolute"; readonly at: Instant };

/** Set Blob Expiry: from then on the blob does not exist for clients, and a background job deletes it. */
export async function setBlobExpiry(
  blobs: BlobContext,
  request: GuardedBlob & { readonly expiry: ExpiryRequest },
): Promise<Written> {
  const { ref, expiry } = request;
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkBlobWrite(write, found, request, "change");
    const before = found.blob!;
    const at = instantFor(expiry, instantOf(before.created), write.now());
    const { expiresAt: _, ...rest } = before;
    const revision = write.revision(before.revision);
    const after = at === undefined ? { ...rest, revision } : { ...rest, revision, expiresAt: at };
    if (at !== undefined) {
      const { account, blob } = ref;
      scheduleDeadline(write, at, { what: "expiry", account, container: found.container.id, blob });
    }
    return writtenOf(await changeBlob(blobs, write, found, { before, after }));
  });
}

function instantFor(expiry: ExpiryRequest, created: Instant, now: Instant): Instant | undefined {
  switch (expiry.option) {
    case "NeverExpire":
      return undefined;
    case "RelativeToCreation":
      return created + expiry.millis;
    case "RelativeToNow":
      return now + expiry.millis;
    case "Absolute":
      return expiry.at;
  }
}
