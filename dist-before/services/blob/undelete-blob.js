import { Refusal } from "../../base/refusals.js";
import { pastKey } from "../../store/keys/blob.js";
import { findBlob, putBlobRecord } from "./blobs.js";
import { pastOf } from "./delete-blob.js";
import { putPast } from "./replace-blob.js";
/**
 * Undelete Blob: what was deleted softly and whose time is not up comes back: the blob itself, unless a new one
 * has its name, and its snapshots and versions. Nothing to bring back is no error; nothing there at all is.
 */
export async function undeleteBlob(blobs, ref) {
    await blobs.parts.store.write(async (write) => {
        const { container, stored, blob } = await findBlob(write, ref);
        const place = { container, ref };
        const now = write.now();
        const past = await pastOf(write, place);
        const deleted = past.filter(({ record }) => record.deleted !== undefined && record.deleted.until > now);
        if (blob === undefined && past.length === 0)
            throw new Refusal("BlobNotFound");
        const base = stored === undefined ? deleted.findLast(({ record }) => record.past === "base") : undefined;
        for (const { at, record } of deleted) {
            const { deleted: _, ...kept } = record;
            if (record.past !== "base")
                putPast(write, place, at, kept);
        }
        if (base === undefined)
            return;
        const { deleted: _, past: __, ...kept } = base.record;
        write.delete(pastKey(container.id, ref.blob, base.at));
        putBlobRecord(write, place, undefined, kept);
    });
}
