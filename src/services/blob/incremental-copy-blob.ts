import { Refusal } from "../../base/refusals.ts";
import { type Revision, timestampOf } from "../../base/revision.ts";
import type { BlobRecord, CopyRecord } from "../../store/records/blob.ts";
import { type Found, findBlob } from "./blobs.ts";
import { addBlobContentReference } from "./content.ts";
import type { BlobContext } from "./context.ts";
import type { Copied } from "./copy-blob.ts";
import { type LocalSource, readSource } from "./copy-source.ts";
import { checkCreate, type NewBlobTarget, newBlob, writtenOf } from "./new-blob.ts";
import { completedCopy } from "./put-blob.ts";
import { putVersionOrSnapshot, replaceBlob } from "./replace-blob.ts";

export interface IncrementalCopyBlob extends NewBlobTarget {
  readonly source: LocalSource;
  readonly copyId: string;
}

/**
 * Incremental Copy Blob: a snapshot of a page blob becomes a snapshot of the destination. Both share the page
 * map, so differences between snapshots of the destination are those between the snapshots of the source.
 * Each copy must be of a later snapshot of the same blob.
 */
export async function incrementalCopyBlob(blobs: BlobContext, request: IncrementalCopyBlob): Promise<Copied> {
  const { ref, copyId } = request;
  const at = request.source.selector.snapshot;
  if (at === undefined) throw new Refusal("IncrementalCopySourceMustBeSnapshot");
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    const source = await readSource(write, request.source, "copy");
    const { content, length } = source;
    if (source.kind !== "page" || !("pages" in content)) throw new Refusal("InvalidSourceBlobType");
    checkLaterSnapshot(found, request.source, at);
    // One reference for the destination, one for its snapshot.
    await addBlobContentReference(blobs.payloads, write, content);
    await addBlobContentReference(blobs.payloads, write, content);
    const properties = { http: source.http, metadata: source.metadata ?? {}, encryption: {} };
    const created = newBlob(write, found, { kind: "page", content, length, properties });
    const destinationSnapshot = write.revision(created.revision);
    const copy: CopyRecord = {
      ...completedCopy({ id: copyId, source: request.source.shown }, length, write.now()),
      isIncremental: true,
      destinationSnapshot,
    };
    const after: BlobRecord = { ...created, copy, sequenceNumber: source.sequenceNumber ?? 0n };
    const written = await replaceBlob(blobs, write, found, after);
    putVersionOrSnapshot(write, found, destinationSnapshot, { ...written, stateKind: "snapshot" });
    return { written: writtenOf(written), copyId, status: "success" };
  });
}

/** An existing destination must be an incremental copy of an earlier snapshot of the same blob. */
function checkLaterSnapshot({ blob }: Found, { shown }: LocalSource, at: Revision): void {
  if (blob === undefined) return;
  if (blob.kind !== "page" || blob.copy?.isIncremental !== true || !("pages" in blob.content)) {
    throw new Refusal("IncrementalCopyBlobMismatch");
  }
  const [former, query = ""] = blob.copy.source.split("?");
  if (former !== shown.split("?")[0]) throw new Refusal("IncrementalCopyBlobMismatch");
  const snapshot = /(?:^|&)snapshot=([^&]*)/i.exec(query)?.[1];
  const isLater = timestampOf(at) > decodeURIComponent(snapshot ?? "");
  if (!isLater) throw new Refusal("IncrementalCopyOfEarlierSnapshotNotAllowed");
}
