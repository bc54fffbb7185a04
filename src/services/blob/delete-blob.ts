import { Refusal, throwIf } from "../../base/refusals.ts";
import { instantOf, type Revision } from "../../base/revision.ts";
import { checkTierTime, checkWrite, type TierConditions } from "../../concurrency/conditions.ts";
import { versionKey, versionsOfBlob, versionsOfKey } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import {
  checkBlobLease,
  checkMutable,
  checkNoPendingCopy,
  type Found,
  findBlob,
  type GuardedState,
  kindOf,
  type Place,
  putBlobRecord,
} from "./blobs.ts";
import { releaseBlobContent } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { deleteVersionRecord, putAsVersion, softDeleteVersionOrSnapshot } from "./replace-blob.ts";
import { discard, readSoftDelete, type SoftDelete } from "./retention.ts";

export interface DeleteBlob extends GuardedState {
  readonly tierTimes?: TierConditions;
  readonly snapshots: "include" | "only" | undefined;
  readonly isPermanent: boolean;
}

/** Whether the deletion is permanent: x-ms-delete-type-permanent. */
export interface Deleted {
  readonly isPermanent: boolean;
}

/** A deletion in its transaction. */
interface Deletion {
  readonly blobs: BlobContext;
  readonly write: Writer;
  readonly found: Found;
  readonly request: DeleteBlob;
  readonly softDelete: SoftDelete | undefined;
}

/** Delete Blob: the blob with or without its snapshots, only its snapshots, or one snapshot or version. */
export async function deleteBlob(blobs: BlobContext, request: DeleteBlob): Promise<Deleted> {
  const { ref, selector } = request;
  return blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    const deletion = { blobs, write, found, request, softDelete: await readSoftDelete(write, ref.account) };
    const at = selector.snapshot ?? selector.version;
    if (at !== undefined) {
      // The current version is deleted by the blob's name only, so that removing old versions never deletes a
      // blob.
      if (selector.version !== undefined && found.blob?.version === selector.version)
        throw new Refusal("OperationNotAllowedOnRootBlob");
      return deleteVersionOrSnapshot(deletion, at);
    }
    if (request.isPermanent) throw new Refusal("PermanentDeleteNotAllowed");
    if (found.stored === undefined) throw new Refusal("BlobNotFound");
    return request.snapshots === "only" ? deleteSnapshots(deletion) : deleteCurrent(deletion, found.stored);
  });
}

async function deleteCurrent(deletion: Deletion, stored: BlobRecord): Promise<Deleted> {
  const { blobs, write, found, request, softDelete } = deletion;
  const { blob } = found;
  checkBlobLease(write, stored, request.leaseId, "write");
  throwIf(checkWrite(request.conditions, blob, "change"));
  checkTier(request, blob);
  checkNoPendingCopy(blob);
  if (blob !== undefined) checkMutable(blob, write.now());
  const snapshots = await snapshotsOf(write, found);
  if (snapshots.length > 0 && request.snapshots === undefined) throw new Refusal("SnapshotsPresent");
  for (const snapshot of snapshots) await removeVersionOrSnapshot(deletion, snapshot);
  if (stored.staging !== undefined) discard(write, { what: "staging", id: stored.staging });
  putBlobRecord(write, found, stored, undefined);
  if (blob === undefined) return { isPermanent: true };
  if (blobs.isVersioned) {
    putAsVersion(write, found, blob);
    return { isPermanent: false };
  }
  if (softDelete === undefined) {
    await releaseBlobContent(blobs.payloads, write, blob.content);
    return { isPermanent: true };
  }
  const at = write.revision(blob.revision);
  softDeleteVersionOrSnapshot(write, found, at, { ...blob, stateKind: "base" }, softDelete);
  return { isPermanent: false };
}

/** A blob's lease does not protect its snapshots. */
async function deleteSnapshots(deletion: Deletion): Promise<Deleted> {
  const { write, found, request, softDelete } = deletion;
  if (found.blob === undefined) throw new Refusal("BlobNotFound");
  throwIf(checkWrite(request.conditions, found.blob, "change"));
  for (const snapshot of await snapshotsOf(write, found)) await removeVersionOrSnapshot(deletion, snapshot);
  return { isPermanent: softDelete === undefined };
}

async function deleteVersionOrSnapshot(deletion: Deletion, at: Revision): Promise<Deleted> {
  const { write, found, request, softDelete } = deletion;
  if (request.snapshots !== undefined) throw new Refusal("InvalidQueryParameterValue");
  const stored = await write.get(versionKey(found.container.id, found.ref.blob, at));
  const record = stored && blobRecord.unpack(stored);
  if (record?.stateKind !== kindOf(request.selector)) throw new Refusal("BlobNotFound");
  throwIf(checkWrite(request.conditions, record, "change"));
  checkTier(request, record);
  checkMutable(record, write.now());
  if (request.isPermanent) {
    // The second deletion of a soft-deleted state, if the account allows it.
    if (record.deleted === undefined || softDelete?.allowsPermanentDelete !== true) {
      throw new Refusal("PermanentDeleteNotAllowed");
    }
    await removeVersionOrSnapshot({ ...deletion, softDelete: undefined }, { at, record });
    return { isPermanent: true };
  }
  if (record.deleted !== undefined) throw new Refusal("BlobNotFound");
  await removeVersionOrSnapshot(deletion, { at, record });
  return { isPermanent: softDelete === undefined };
}

function checkTier({ tierTimes }: DeleteBlob, record: BlobRecord | undefined): void {
  if (tierTimes === undefined || record === undefined) return;
  throwIf(checkTierTime(tierTimes, record.tierChangedAt ?? instantOf(record.created)));
}

async function removeVersionOrSnapshot(
  { blobs, write, found, softDelete }: Deletion,
  { at, record }: StoredState,
): Promise<void> {
  checkMutable(record, write.now());
  if (softDelete !== undefined) {
    softDeleteVersionOrSnapshot(write, found, at, record, softDelete);
    return;
  }
  deleteVersionRecord(write, found, at, record);
  await releaseBlobContent(blobs.payloads, write, record.content);
}

interface StoredState {
  readonly at: Revision;
  readonly record: BlobRecord;
}

/** All snapshots, versions and soft-deleted states of the blob, oldest first. */
export async function versionsAndSnapshots(write: Writer, { container, ref }: Place): Promise<StoredState[]> {
  const states: StoredState[] = [];
  for await (const { key, value } of write.range(versionsOfBlob(container.id, ref.blob))) {
    states.push({ at: versionsOfKey(key).revision, record: blobRecord.unpack(value) });
  }
  return states;
}

async function snapshotsOf(write: Writer, place: Place): Promise<StoredState[]> {
  const states = await versionsAndSnapshots(write, place);
  return states.filter(({ record }) => record.stateKind === "snapshot" && record.deleted === undefined);
}
