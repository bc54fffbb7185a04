import { Refusal } from "../../base/refusals.ts";
import { findBlob, putBlobRecord } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { versionsAndSnapshots } from "./delete-blob.ts";
import type { BlobRef } from "./names.ts";
import { deleteVersionRecord, putVersionOrSnapshot } from "./replace-blob.ts";

/**
 * Undelete Blob restores what was soft-deleted and is still retained: the blob itself, unless a new one has
 * its name, and its snapshots and versions. It is no error when nothing is deleted, but it is when nothing
 * exists.
 */
export async function undeleteBlob(blobs: BlobContext, ref: BlobRef): Promise<void> {
  await blobs.store.write(async (write) => {
    const found = await findBlob(write, ref);
    const { stored, blob } = found;
    const now = write.now();
    const states = await versionsAndSnapshots(write, found);
    if (blob === undefined && states.length === 0) throw new Refusal("BlobNotFound");
    const deleted = states.filter(({ record }) => record.deleted !== undefined && record.deleted.until > now);
    const base =
      stored === undefined ? deleted.findLast(({ record }) => record.stateKind === "base") : undefined;
    for (const { at, record } of deleted) {
      const { deleted: _, ...restored } = record;
      if (record.stateKind !== "base") putVersionOrSnapshot(write, found, at, restored);
    }
    if (base === undefined) return;
    const { deleted: _, stateKind: __, ...restored } = base.record;
    deleteVersionRecord(write, found, base.at, base.record);
    putBlobRecord(write, found, undefined, restored);
  });
}
