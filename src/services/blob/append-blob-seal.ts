import { Refusal, throwIf } from "../../base/refusals.ts";
import { type AppendConditions, checkAppend } from "../../concurrency/conditions.ts";
import { checkBlobWrite, findBlob, type GuardedBlob } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { type Written, writtenOf } from "./new-blob.ts";
import { putCurrent } from "./replace-blob.ts";

/**
 * Append Blob Seal: the content can no longer change. Azure's reference says that the ETag stays, but its
 * recorded replies have a new one, which clients may expect. Sealing a sealed blob changes nothing.
 */
export async function appendBlobSeal(
  blobs: BlobContext,
  request: GuardedBlob & { readonly append: AppendConditions },
): Promise<Written> {
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, request.ref);
    checkBlobWrite(write, found, request, "change");
    const before = found.blob!;
    if (before.kind !== "append") throw new Refusal("InvalidBlobType");
    throwIf(checkAppend(request.append, { current: before.length, appended: 0 }));
    if (before.isSealed === true) return writtenOf(before);
    const revision = write.revision(before.revision);
    return writtenOf(putCurrent(write, found, before, { ...before, revision, isSealed: true }));
  });
}
