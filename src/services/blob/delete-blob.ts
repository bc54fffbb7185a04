import { Refusal } from "../../base/refusals.ts";
import { instantOf, type Revision } from "../../base/revision.ts";
import { checkTierTime, checkWrite, type TierConditions } from "../../concurrency/conditions.ts";
import { checkLeaseWrite } from "../../concurrency/lease.ts";
import { versionKey, versionsOfBlob, versionsOfKey } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { BlobService } from "./blob-service.ts";
import {
  type BlobGuards,
  checkMutable,
  type Found,
  findBlob,
  putBlobRecord,
  type Selector,
} from "./blobs.ts";
import { leaseOf, throwIf } from "./containers.ts";
import { releaseBlobContent } from "./content.ts";
import { indexGuard } from "./guard-index.ts";
import type { BlobRef } from "./names.ts";
import { type Place, putVersionOrSnapshot, softDeleteVersionOrSnapshot } from "./replace-blob.ts";
import { discard, readSoftDelete, type SoftDelete } from "./retention.ts";
import { indexVersion } from "./tag-index.ts";

export interface DeleteBlob extends BlobGuards {
  readonly ref: BlobRef;
  readonly selector: Selector;
  readonly tierTimes?: TierConditions;
  readonly snapshots: "include" | "only" | undefined;
  readonly isPermanent: boolean;
}

/** Whether what was deleted is gone for good: x-ms-delete-type-permanent. */
export interface Deleted {
  readonly isPermanent: boolean;
}

/** Delete Blob: the blob with or without its snapshots, only its snapshots, or one state of its past. */
export async function deleteBlob(blobs: BlobService, request: DeleteBlob): Promise<Deleted> {
  const { ref, selector } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    const place = { container: found.container, ref };
    const softDelete = await readSoftDelete(write, ref.account);
    const past = selector.snapshot ?? selector.version;
    if (past !== undefined) {
      // The current version goes by the name of the blob only: so nobody deletes a blob while tidying up its past.
      if (isCurrentVersion(found, selector)) throw new Refusal("OperationNotAllowedOnRootBlob");
      return deleteVersionOrSnapshot(blobs, write, place, { ...request, at: past, softDelete });
    }
    if (request.isPermanent) throw new Refusal("PermanentDeleteNotAllowed");
    if (found.stored === undefined) throw new Refusal("BlobNotFound");
    if (request.snapshots === "only") return deleteSnapshots(blobs, write, place, found, request, softDelete);
    return deletePresent(blobs, write, place, found, request, softDelete);
  });
}

function isCurrentVersion({ blob }: Found, { version }: Selector): boolean {
  return version !== undefined && blob?.version === version;
}

async function deletePresent(
  blobs: BlobService,
  write: Writer,
  place: Place,
  { stored, blob }: Found,
  request: DeleteBlob,
  softDelete: SoftDelete | undefined,
): Promise<Deleted> {
  throwIf(checkLeaseWrite(leaseOf(stored!), request.leaseId, write.now(), "Blob"));
  throwIf(checkWrite(request.conditions, blob, "change"));
  checkTier(request, blob);
  if (blob?.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
  if (blob !== undefined) checkMutable(blob, write.now());
  const snapshots = await snapshotsOf(write, place);
  if (snapshots.length > 0 && request.snapshots === undefined) throw new Refusal("SnapshotsPresent");
  for (const { at, record } of snapshots)
    await removeVersionOrSnapshot(blobs, write, place, at, record, softDelete);
  if (stored!.staging !== undefined) discard(write, { what: "staging", id: stored!.staging });
  putBlobRecord(write, place, stored, undefined);
  if (blob === undefined) return { isPermanent: true };
  if (blobs.isVersioned) {
    // What was current is now the newest of the versions.
    const version = blob.version ?? blob.revision;
    putVersionOrSnapshot(write, place, version, { ...blob, version, stateKind: "version" });
    return { isPermanent: false };
  }
  if (softDelete === undefined) {
    await releaseBlobContent(blobs.parts.payloads, write, blob.content);
    return { isPermanent: true };
  }
  const at = write.revision(blob.revision);
  softDeleteVersionOrSnapshot(write, place, at, { ...blob, stateKind: "base" }, softDelete);
  return { isPermanent: false };
}

/** Only the snapshots: the lease of the blob itself guards the blob, not its past. */
async function deleteSnapshots(
  blobs: BlobService,
  write: Writer,
  place: Place,
  { blob }: Found,
  request: DeleteBlob,
  softDelete: SoftDelete | undefined,
): Promise<Deleted> {
  if (blob === undefined) throw new Refusal("BlobNotFound");
  throwIf(checkWrite(request.conditions, blob, "change"));
  for (const { at, record } of await snapshotsOf(write, place)) {
    await removeVersionOrSnapshot(blobs, write, place, at, record, softDelete);
  }
  return { isPermanent: softDelete === undefined };
}

async function deleteVersionOrSnapshot(
  blobs: BlobService,
  write: Writer,
  place: Place,
  request: DeleteBlob & { readonly at: Revision; readonly softDelete: SoftDelete | undefined },
): Promise<Deleted> {
  const { at, softDelete, isPermanent } = request;
  if (request.snapshots !== undefined) throw new Refusal("InvalidQueryParameterValue");
  const stored = await write.get(versionKey(place.container.id, place.ref.blob, at));
  const record = stored && blobRecord.unpack(stored);
  const wanted = request.selector.snapshot === undefined ? "version" : "snapshot";
  if (record?.stateKind !== wanted) throw new Refusal("BlobNotFound");
  throwIf(checkWrite(request.conditions, record, "change"));
  checkTier(request, record);
  checkMutable(record, write.now());
  if (isPermanent) {
    // The second deletion of what was deleted softly, where the account allows it at all.
    if (record.deleted === undefined || softDelete?.allowsPermanentDelete !== true) {
      throw new Refusal("PermanentDeleteNotAllowed");
    }
    await removeVersionOrSnapshot(blobs, write, place, at, record, undefined);
    return { isPermanent: true };
  }
  if (record.deleted !== undefined) throw new Refusal("BlobNotFound");
  await removeVersionOrSnapshot(blobs, write, place, at, record, softDelete);
  return { isPermanent: softDelete === undefined };
}

function checkTier({ tierTimes }: DeleteBlob, record: BlobRecord | undefined): void {
  if (tierTimes === undefined || record === undefined) return;
  throwIf(checkTierTime(tierTimes, record.tierChangedAt ?? instantOf(record.created)));
}

async function removeVersionOrSnapshot(
  blobs: BlobService,
  write: Writer,
  place: Place,
  at: Revision,
  record: BlobRecord,
  softDelete: SoftDelete | undefined,
): Promise<void> {
  checkMutable(record, write.now());
  if (softDelete !== undefined) {
    softDeleteVersionOrSnapshot(write, place, at, record, softDelete);
    return;
  }
  const { container, ref } = place;
  write.delete(versionKey(container.id, ref.blob, at));
  indexGuard(write, { container: container.id, blob: ref.blob, at }, record, undefined);
  indexVersion(write, { container, ref, version: at }, record, undefined);
  await releaseBlobContent(blobs.parts.payloads, write, record.content);
}

export interface VersionState {
  readonly at: Revision;
  readonly record: BlobRecord;
}

/** Everything the blob was, oldest first. */
export async function stateOfVersion(write: Writer, { container, ref }: Place): Promise<VersionState[]> {
  const found: VersionState[] = [];
  for await (const { key, value } of write.range(versionsOfBlob(container.id, ref.blob))) {
    found.push({ at: versionsOfKey(key).revision, record: blobRecord.unpack(value) });
  }
  return found;
}

async function snapshotsOf(write: Writer, place: Place): Promise<VersionState[]> {
  const past = await stateOfVersion(write, place);
  return past.filter(({ record }) => record.stateKind === "snapshot" && record.deleted === undefined);
}
