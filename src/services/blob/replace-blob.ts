import type { Revision } from "../../base/revision.ts";
import { versionKey } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import type { BlobRecord, ContainerRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { BlobService } from "./blob-service.ts";
import { putBlobRecord, withLeaseAfterWrite } from "./blobs.ts";
import { releaseBlobContent, shareBlobContent } from "./content.ts";
import { indexGuard } from "./guard-index.ts";
import type { BlobRef } from "./names.ts";
import { discard, readSoftDelete, remind, type SoftDelete } from "./retention.ts";
import { indexVersion } from "./tag-index.ts";

export interface Place {
  readonly container: ContainerRecord;
  readonly ref: BlobRef;
}

/**
 * A past state at its key. Lease, uncommitted blocks and pending work belong to the present only. `before` is
 * needed where it had other tags, or could be found and can be no longer.
 */
export function putVersionOrSnapshot(
  write: Writer,
  place: Place,
  at: Revision,
  record: BlobRecord,
  before?: BlobRecord,
): void {
  const { lease: _, staging: __, ...kept } = record;
  const { container, ref } = place;
  write.put(versionKey(container.id, ref.blob, at), blobRecord.pack(kept));
  indexGuard(write, { container: container.id, blob: ref.blob, at }, undefined, record);
  indexVersion(write, { container, ref, version: at }, before, record);
}

/** Deletes a past state softly: it stays at its key until its time is up. */
export function softDeleteVersionOrSnapshot(
  write: Writer,
  place: Place,
  at: Revision,
  record: BlobRecord,
  { at: now, until }: SoftDelete,
): void {
  putVersionOrSnapshot(write, place, at, { ...record, deleted: { at: now, until } }, record);
  remind(write, until, { what: "past", container: place.container.id, blob: place.ref.blob, revision: at });
}

/**
 * Puts a new blob in the place of what was there. What becomes of the old state: a version while versioning is
 * on, a soft-deleted snapshot while soft delete is on, otherwise its bytes are given back. Snapshots stay, a
 * lease in force stays, uncommitted blocks go.
 */
export async function replaceBlob(
  blobs: BlobService,
  write: Writer,
  place: Place,
  { before, after }: { readonly before: BlobRecord | undefined; readonly after: BlobRecord },
): Promise<BlobRecord> {
  if (before?.staging !== undefined) discard(write, { what: "staging", id: before.staging });
  if (before !== undefined && before.isUncommitted !== true) await retire(blobs, write, place, before);
  const written = withLeaseAfterWrite(versioned(blobs, after), before, write.now());
  putBlobRecord(write, place, before, written);
  return written;
}

function versioned(blobs: BlobService, record: BlobRecord): BlobRecord {
  if (blobs.isVersioned) return { ...record, version: record.revision };
  if (record.version === undefined) return record;
  const { version: _, ...rest } = record;
  return rest;
}

/** The old state of a blob that is overwritten. Its content moves with it, or is given back. */
async function retire(blobs: BlobService, write: Writer, place: Place, before: BlobRecord): Promise<void> {
  if (blobs.isVersioned) {
    const version = before.version ?? before.revision;
    putVersionOrSnapshot(write, place, version, { ...before, version, stateKind: "version" });
    return;
  }
  const softDelete = await readSoftDelete(write, place.ref.account);
  if (softDelete === undefined) {
    await releaseBlobContent(blobs.parts.payloads, write, before.content);
    return;
  }
  const snapshot = write.revision(before.revision);
  softDeleteVersionOrSnapshot(write, place, snapshot, { ...before, stateKind: "snapshot" }, softDelete);
}

/**
 * Changes a blob and keeps its bytes: metadata, properties. While versioning is on the state before it becomes a
 * version, which shares the bytes.
 */
export async function changeBlob(
  blobs: BlobService,
  write: Writer,
  place: Place,
  { before, after }: { readonly before: BlobRecord; readonly after: BlobRecord },
): Promise<BlobRecord> {
  if (blobs.isVersioned) {
    const version = before.version ?? before.revision;
    await shareBlobContent(blobs.parts.payloads, write, before.content);
    putVersionOrSnapshot(write, place, version, { ...before, version, stateKind: "version" });
  }
  const written = withLeaseAfterWrite(versioned(blobs, after), before, write.now());
  putBlobRecord(write, place, before, written);
  return written;
}

/** Changes a blob that stays the version it is. */
export function changeInPlace(
  write: Writer,
  place: Place,
  { before, after }: { readonly before: BlobRecord; readonly after: BlobRecord },
): BlobRecord {
  const written = withLeaseAfterWrite(after, before, write.now());
  putBlobRecord(write, place, before, written);
  return written;
}
