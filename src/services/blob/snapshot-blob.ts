import { Refusal, throwIf } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { checkWrite } from "../../concurrency/conditions.ts";
import { checkBlobLease, checkNoPendingCopy, findBlob, type GuardedBlob, putBlobRecord } from "./blobs.ts";
import { addBlobContentReference } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { checkKey } from "./new-blob.ts";
import { putAsVersion, putVersionOrSnapshot } from "./replace-blob.ts";

export interface BlobSnapshot {
  readonly snapshot: Revision;
  readonly revision: Revision;
  readonly version: Revision | undefined;
}

/**
 * Snapshot Blob. The snapshot shares the bytes of the blob, needs no lease id and has no lease. With metadata
 * of its own it has an ETag of its own; otherwise it has the blob's.
 */
export async function snapshotBlob(
  blobs: BlobContext,
  request: GuardedBlob & {
    readonly metadata: Readonly<Record<string, string>>;
    readonly keySha256: string | undefined;
    /** Must be that of the blob. */
    readonly encryptionScope: string | undefined;
  },
): Promise<BlobSnapshot> {
  const { ref, metadata } = request;
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    const { blob } = found;
    if (blob === undefined) throw new Refusal("BlobNotFound");
    checkBlobLease(write, blob, request.leaseId, "read");
    throwIf(checkWrite(request.conditions, blob, "change"));
    checkNoPendingCopy(blob);
    if (blob.tier === "Archive") throw new Refusal("BlobArchived");
    checkKey(blob, request.keySha256);
    const { encryptionScope } = request;
    if (encryptionScope !== undefined && encryptionScope !== blob.encryptionScope)
      throw new Refusal("BlobCustomerSpecifiedEncryptionMismatch");
    await addBlobContentReference(blobs.payloads, write, blob.content);
    const snapshot = write.revision(blob.revision);
    const own = Object.keys(metadata).length > 0 ? { metadata, revision: snapshot } : {};
    const record = { ...blob, ...own, stateKind: "snapshot" } as const;
    putVersionOrSnapshot(write, found, snapshot, record);
    const { revision } = record;
    if (!blobs.isVersioned) return { snapshot, revision, version: undefined };
    // With versioning on, a snapshot also makes a new version of the blob, with the same content.
    await addBlobContentReference(blobs.payloads, write, blob.content);
    putAsVersion(write, found, blob);
    const version = write.revision(snapshot);
    putBlobRecord(write, found, blob, { ...blob, version });
    return { snapshot, revision, version };
  });
}
