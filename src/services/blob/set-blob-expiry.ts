import type { Instant } from "../../base/clock.ts";
import { instantOf } from "../../base/revision.ts";
import type { BlobService } from "./blob-service.ts";
import { checkBlobWrite, findBlob } from "./blobs.ts";
import { type Written, writtenOf } from "./put-blob.ts";
import { changeBlob } from "./replace-blob.ts";
import { remind } from "./retention.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";

export type ExpiryRequest =
  | { readonly option: "NeverExpire" }
  | { readonly option: "RelativeToCreation" | "RelativeToNow"; readonly millis: number }
  | { readonly option: "Absolute"; readonly at: Instant };

/** Set Blob Expiry: from then on nobody finds the blob, and the reclaimer takes it away. */
export async function setBlobExpiry(
  blobs: BlobService,
  request: ChangeBlob & { readonly expiry: ExpiryRequest },
): Promise<Written> {
  const { ref, expiry } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkBlobWrite(write, found, request, "change");
    const before = found.blob!;
    const at = instantFor(expiry, instantOf(before.created), write.now());
    const { expiresAt: _, ...rest } = before;
    const revision = write.revision(before.revision);
    const after = at === undefined ? { ...rest, revision } : { ...rest, revision, expiresAt: at };
    if (at !== undefined)
      remind(write, at, {
        what: "expiry",
        account: ref.account,
        container: found.container.id,
        blob: ref.blob,
      });
    return writtenOf(await changeBlob(blobs, write, { container: found.container, ref }, { before, after }));
  });
}

function instantFor(wish: ExpiryRequest, created: Instant, now: Instant): Instant | undefined {
  switch (wish.option) {
    case "NeverExpire":
      return undefined;
    case "RelativeToCreation":
      return created + wish.millis;
    case "RelativeToNow":
      return now + wish.millis;
    case "Absolute":
      return wish.at;
  }
}
