import type { Revision } from "../../base/revision.ts";
import { versionKey } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { withLeaseAfterWrite } from "../lease-action.ts";
import {
  checkBlobWrite,
  type Found,
  findBlob,
  type GuardedBlob,
  type Place,
  putBlobRecord,
  type Selector,
  type State,
} from "./blobs.ts";
import { addBlobContentReference, releaseBlobContent } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { indexImmutability } from "./immutability-index.ts";
import { type Written, writtenOf } from "./new-blob.ts";
import { discard, readSoftDelete, type SoftDelete, scheduleDeadline } from "./retention.ts";
import { indexVersion } from "./tag-index.ts";

/**
 * Writes a version or a snapshot at its key. Lease and uncommitted blocks belong to the current state only.
 * Pass `before` when the state at this key had other tags, or can no longer be found by them.
 */
export function putVersionOrSnapshot(
  write: Writer,
  { container, ref }: Place,
  at: Revision,
  record: BlobRecord,
  before?: BlobRecord,
): void {
  const { lease: _, staging: __, ...kept } = record;
  write.put(versionKey(container.id, ref.blob, at), blobRecord.pack(kept));
  indexImmutability(write, { container: container.id, blob: ref.blob, at }, undefined, record);
  indexVersion(write, { container, ref, version: at }, before, record);
}

/** Deletes the record of a version or snapshot and its index entries; the content stays referenced. */
export function deleteVersionRecord(
  write: Writer,
  { container, ref }: Place,
  at: Revision,
  record: BlobRecord,
): void {
  write.delete(versionKey(container.id, ref.blob, at));
  indexImmutability(write, { container: container.id, blob: ref.blob, at }, record, undefined);
  indexVersion(write, { container, ref, version: at }, record, undefined);
}

/** Changes one state of a blob, current or not, without a new ETag or a new version. */
export function putState(
  write: Writer,
  state: State,
  { snapshot, version }: Selector,
  after: BlobRecord,
): void {
  const { container, ref, record } = state;
  if (state.isCurrent) {
    putBlobRecord(write, state, record, after);
    return;
  }
  const at = (snapshot ?? version)!;
  indexImmutability(write, { container: container.id, blob: ref.blob, at }, record, undefined);
  putVersionOrSnapshot(write, state, at, after, record);
}

/** Soft-deletes a version or snapshot: it stays at its key until the retention ends. */
export function softDeleteVersionOrSnapshot(
  write: Writer,
  place: Place,
  at: Revision,
  record: BlobRecord,
  { at: now, until }: SoftDelete,
): void {
  putVersionOrSnapshot(write, place, at, { ...record, deleted: { at: now, until } }, record);
  const { container, ref } = place;
  scheduleDeadline(write, until, { what: "past", container: container.id, blob: ref.blob, revision: at });
}

/**
 * Keeps the current state as a version. Its content moves with it: the caller adds a reference if both stay.
 */
export function putAsVersion(write: Writer, place: Place, current: BlobRecord): void {
  const version = current.version ?? current.revision;
  putVersionOrSnapshot(write, place, version, { ...current, version, stateKind: "version" });
}

/**
 * Replaces what is stored under the name by a new blob. The old state becomes a version while versioning is
 * on, a soft-deleted snapshot while soft delete is on; otherwise its content is released. Snapshots and a
 * lease in force stay; uncommitted blocks are discarded.
 */
export async function replaceBlob(
  blobs: BlobContext,
  write: Writer,
  found: Found,
  after: BlobRecord,
): Promise<BlobRecord> {
  const before = found.stored;
  if (before?.staging !== undefined) discard(write, { what: "staging", id: before.staging });
  if (before !== undefined && before.isUncommitted !== true) await retire(blobs, write, found, before);
  return putCurrent(write, found, before, withVersion(blobs, after));
}

function withVersion(blobs: BlobContext, record: BlobRecord): BlobRecord {
  if (blobs.isVersioned) return { ...record, version: record.revision };
  if (record.version === undefined) return record;
  const { version: _, ...rest } = record;
  return rest;
}

async function retire(blobs: BlobContext, write: Writer, place: Place, before: BlobRecord): Promise<void> {
  if (blobs.isVersioned) {
    putAsVersion(write, place, before);
    return;
  }
  const softDelete = await readSoftDelete(write, place.ref.account);
  if (softDelete === undefined) {
    await releaseBlobContent(blobs.payloads, write, before.content);
    return;
  }
  const snapshot = write.revision(before.revision);
  softDeleteVersionOrSnapshot(write, place, snapshot, { ...before, stateKind: "snapshot" }, softDelete);
}

/** Writes the current state with the lease that a write leaves. */
export function putCurrent(
  write: Writer,
  place: Place,
  before: BlobRecord | undefined,
  after: BlobRecord,
): BlobRecord {
  const written = withLeaseAfterWrite(after, before, write.now());
  putBlobRecord(write, place, before, written);
  return written;
}

/**
 * Changes a blob's record and keeps its content. While versioning is on, the state before becomes a version
 * that shares the content.
 */
export async function changeBlob(
  blobs: BlobContext,
  write: Writer,
  place: Place,
  { before, after }: { readonly before: BlobRecord; readonly after: BlobRecord },
): Promise<BlobRecord> {
  if (blobs.isVersioned) {
    await addBlobContentReference(blobs.payloads, write, before.content);
    putAsVersion(write, place, before);
  }
  return putCurrent(write, place, before, withVersion(blobs, after));
}

type Changed = Omit<BlobRecord, "revision"> & { readonly revision?: unknown };

/** One checked change of a blob's record, with a new revision. Any such change removes the copy's status. */
export async function changeProperties(
  blobs: BlobContext,
  request: GuardedBlob,
  change: (record: BlobRecord) => Changed,
  versions: "always" | "onlyOfBlockBlobs" = "always",
): Promise<Written & { readonly record: BlobRecord }> {
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, request.ref);
    checkBlobWrite(write, found, request, "change");
    const before = found.blob!;
    const { copy: _, ...changed } = change(before);
    const after = { ...changed, revision: write.revision(before.revision) };
    const makesVersion = versions === "always" || before.kind === "block";
    const record = makesVersion
      ? await changeBlob(blobs, write, found, { before, after })
      : putCurrent(write, found, before, after);
    return { ...writtenOf(record), record };
  });
}
