import type { BlobHttpHeaders, BlobRecord } from "../../store/records/blob.ts";
import type { GuardedBlob } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import type { Written } from "./new-blob.ts";
import { changeProperties } from "./replace-blob.ts";

/**
 * Set Blob Properties sets all six headers; those not given are cleared. Like other changes of page and
 * append blobs, it makes no version of them.
 */
export async function setBlobProperties(
  blobs: BlobContext,
  request: GuardedBlob & { readonly http: BlobHttpHeaders },
): Promise<Written & { readonly record: BlobRecord }> {
  const { http } = request;
  return changeProperties(blobs, request, (record) => ({ ...record, http }), "onlyOfBlockBlobs");
}
