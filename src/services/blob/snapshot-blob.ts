import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { checkWrite } from "../../concurrency/conditions.ts";
import { checkLeaseRead } from "../../concurrency/lease.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob, putBlobRecord } from "./blobs.ts";
import { leaseOf, throwIf } from "./containers.ts";
import { shareBlobContent } from "./content.ts";
import { checkKey } from "./get-blob.ts";
import { putVersionOrSnapshot } from "./replace-blob.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";

export interface SnapshotTaken {
  readonly snapshot: Revision;
  readonly revision: Revision;
  readonly version: Revision | undefined;
}

/**
 * Snapshot Blob: a past state that shares the bytes of the present one. It needs no lease id, and carries no
 * lease. With metadata of its own it has an ETag of its own; otherwise the one of the blob.
 */
export async function snapshotBlob(
  blobs: BlobService,
  request: ChangeBlob & {
    readonly metadata: Readonly<Record<string, string>>;
    readonly keySha256: string | undefined;
  },
): Promise<SnapshotTaken> {
  const { ref, metadata } = request;
  return blobs.parts.store.write(async (write) => {
    const { container, blob } = await findBlob(write, ref);
    if (blob === undefined) throw new Refusal("BlobNotFound");
    throwIf(checkLeaseRead(leaseOf(blob), request.leaseId, write.now(), "Blob"));
    throwIf(checkWrite(request.conditions, blob, "change"));
    if (blob.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    if (blob.tier === "Archive") throw new Refusal("BlobArchived");
    checkKey(blob, request.keySha256);
    const place = { container, ref };
    await shareBlobContent(blobs.parts.payloads, write, blob.content);
    const snapshot = write.revision(blob.revision);
    const hasOwn = Object.keys(metadata).length > 0;
    const own = hasOwn ? { metadata, revision: snapshot } : {};
    putVersionOrSnapshot(write, place, snapshot, { ...blob, ...own, stateKind: "snapshot" });
    const revision = hasOwn ? snapshot : blob.revision;
    if (!blobs.isVersioned) return { snapshot, revision, version: undefined };
    // With versioning on, taking a snapshot makes a new version of the blob as well; its content is the same.
    await shareBlobContent(blobs.parts.payloads, write, blob.content);
    const version = blob.version ?? blob.revision;
    putVersionOrSnapshot(write, place, version, { ...blob, version, stateKind: "version" });
    const next = write.revision(snapshot);
    putBlobRecord(write, place, blob, { ...blob, version: next });
    return { snapshot, revision, version: next };
  });
}
