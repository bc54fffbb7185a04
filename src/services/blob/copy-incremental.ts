import { Refusal } from "../../base/refusals.ts";
import { type Revision, timestampOf } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import type { BlobRecord, CopyRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type Found, findBlob } from "./blobs.ts";
import { shareBlobContent } from "./content.ts";
import { type Copied, type LocalSource, readSource } from "./copy-blob.ts";
import type { BlobRef } from "./names.ts";
import { type CreateGuards, checkCreate, newBlob, writtenOf } from "./put-blob.ts";
import { putVersionOrSnapshot, replaceBlob } from "./replace-blob.ts";

export interface CopyIncremental extends CreateGuards {
  readonly ref: BlobRef;
  readonly source: LocalSource;
  readonly copyId: string;
}

/**
 * Incremental Copy Blob: a snapshot of a page blob becomes a snapshot of the destination. Both share the map of
 * pages, so what is copied is only what is new, and differences between the snapshots of the destination are
 * those between the snapshots of the source. Each copy must be of a later snapshot of the same blob.
 */
export async function copyIncremental(blobs: BlobService, request: CopyIncremental): Promise<Copied> {
  const { ref, copyId } = request;
  const at = request.source.selector.snapshot;
  if (at === undefined) throw new Refusal("IncrementalCopySourceMustBeSnapshot");
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkCreate(write, found, request);
    const source = await readSource(write, request.source, "copy");
    if (source.kind !== "page" || !("pages" in source.content)) throw new Refusal("InvalidSourceBlobType");
    checkSameLine(found, request.source, at, source);
    const { payloads } = blobs.parts;
    // Once for the destination, once for its snapshot.
    await shareBlobContent(payloads, write, source.content);
    await shareBlobContent(payloads, write, source.content);
    const after = copyOf(write, found, source, request);
    const place = { container: found.container, ref };
    const written = await replaceBlob(blobs, write, place, { before: found.stored, after });
    putVersionOrSnapshot(write, place, after.copy!.destinationSnapshot!, {
      ...written,
      stateKind: "snapshot",
    });
    return { written: writtenOf(written), copyId, status: "success" };
  });
}

/** A destination that is there must have been made in this way, from the same blob, and from an earlier snapshot. */
function checkSameLine({ blob }: Found, { shown }: LocalSource, at: Revision, source: BlobRecord): void {
  if (blob === undefined) return;
  if (blob.kind !== "page" || blob.copy?.isIncremental !== true) {
    throw new Refusal("IncrementalCopyBlobMismatch");
  }
  const [former, query = ""] = blob.copy.source.split("?");
  const snapshot = /(?:^|&)snapshot=([^&]*)/i.exec(query)?.[1];
  const isSameBlob = former === shown.split("?")[0];
  const isSameLife = "pages" in blob.content && "pages" in source.content;
  if (!isSameBlob || !isSameLife) throw new Refusal("IncrementalCopyBlobMismatch");
  const isLater = timestampOf(at) > decodeURIComponent(snapshot ?? "");
  if (!isLater) throw new Refusal("IncrementalCopyOfEarlierSnapshotNotAllowed");
}

function copyOf(write: Writer, found: Found, source: BlobRecord, request: CopyIncremental): BlobRecord {
  const made = newBlob(write, found, {
    kind: "page",
    content: source.content,
    length: source.length,
    properties: { http: source.http, metadata: source.metadata ?? {}, encryption: {} },
  });
  const copy: CopyRecord = {
    id: request.copyId,
    source: request.source.shown,
    status: "success",
    bytesCopied: source.length,
    bytesTotal: source.length,
    completedAt: write.now(),
    isIncremental: true,
    destinationSnapshot: write.revision(made.revision),
  };
  return { ...made, copy, sequenceNumber: source.sequenceNumber ?? 0n };
}
