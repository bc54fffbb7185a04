import { Refusal } from "../../base/refusals.ts";
import { versionKey } from "../../store/keys/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { findBlob, putBlobRecord } from "./blobs.ts";
import { stateOfVersion } from "./delete-blob.ts";
import { indexGuard } from "./guard-index.ts";
import type { BlobRef } from "./names.ts";
import { putVersionOrSnapshot } from "./replace-blob.ts";

/**
 * Undelete Blob: what was deleted softly and whose time is not up comes back: the blob itself, unless a new one
 * has its name, and its snapshots and versions. Nothing to bring back is no error; nothing there at all is.
 */
export async function undeleteBlob(blobs: BlobService, ref: BlobRef): Promise<void> {
  await blobs.parts.store.write(async (write) => {
    const { container, stored, blob } = await findBlob(write, ref);
    const place = { container, ref };
    const now = write.now();
    const past = await stateOfVersion(write, place);
    const deleted = past.filter(({ record }) => record.deleted !== undefined && record.deleted.until > now);
    if (blob === undefined && past.length === 0) throw new Refusal("BlobNotFound");
    const base =
      stored === undefined ? deleted.findLast(({ record }) => record.stateKind === "base") : undefined;
    for (const { at, record } of deleted) {
      const { deleted: _, ...kept } = record;
      if (record.stateKind !== "base") putVersionOrSnapshot(write, place, at, kept);
    }
    if (base === undefined) return;
    const { deleted: _, stateKind: __, ...kept } = base.record;
    write.delete(versionKey(container.id, ref.blob, base.at));
    indexGuard(write, { container: container.id, blob: ref.blob, at: base.at }, base.record, undefined);
    putBlobRecord(write, place, undefined, kept);
  });
}
