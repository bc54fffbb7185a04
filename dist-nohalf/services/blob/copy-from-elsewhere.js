import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { Refusal } from "../../base/refusals.js";
import { keepContent, takeIn } from "../payload/content.js";
import { findBlob, putBlobRecord } from "./blobs.js";
import { checkInfiniteLease } from "./copy-blob.js";
import { checkCreate, newBlob, writtenOf } from "./put-blob.js";
import { replaceBlob } from "./replace-blob.js";
import { remind } from "./retention.js";
/**
 * Copy Blob from another server, in two steps, since the bytes take their time. The first makes the destination:
 * empty, and closed to writers while the copy is pending. The second puts the bytes in, if the copy is still
 * wanted then: it may have been aborted.
 */
export async function beginCopy(blobs, request) {
    const { ref, copyId, source, properties } = request;
    if (source.kind === "page")
        throw new Refusal("InvalidSourceBlobType");
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkCreate(write, found, request);
        checkInfiniteLease(write, found);
        if (found.blob !== undefined && found.blob.kind !== source.kind)
            throw new Refusal("InvalidBlobType");
        const content = { inline: Buffer.alloc(0) };
        const made = newBlob(write, found, { kind: source.kind, content, length: 0, properties });
        const copy = {
            id: copyId,
            source: source.shown,
            status: "pending",
            bytesCopied: 0,
            bytesTotal: source.length,
        };
        const after = { ...made, copy, ...(source.kind === "append" ? { appendCount: 0 } : {}) };
        remind(write, write.now() + BLOB_LIMITS.copyMillisMax, {
            what: "copy",
            container: found.container.id,
            blob: ref.blob,
            copyId,
        });
        const written = await replaceBlob(blobs, write, { container: found.container, ref }, { before: found.stored, after });
        return { written: writtenOf(written), copyId, status: "pending" };
    });
}
/** The bytes of a copy that was begun. Without an answer when nobody waits for it any more. */
export async function finishCopy(blobs, { ref, copyId }, body, md5) {
    const { store, payloads } = blobs.parts;
    const taken = await takeIn(payloads, body);
    try {
        return await store.write(async (write) => {
            const { container, blob } = await findBlob(write, ref);
            if (blob?.copy?.id !== copyId || blob.copy.status !== "pending")
                return undefined;
            await keepContent(payloads, write, taken.content);
            const { length, content } = taken;
            const contentMd5 = blob.http.contentMd5 ?? md5();
            const after = {
                ...blob,
                revision: write.revision(blob.revision),
                content,
                length,
                http: contentMd5 === undefined ? blob.http : { ...blob.http, contentMd5 },
                copy: {
                    ...blob.copy,
                    status: "success",
                    bytesCopied: length,
                    bytesTotal: length,
                    completedAt: write.now(),
                },
                ...(blob.kind === "append" && length > 0 ? { appendCount: 1 } : {}),
            };
            putBlobRecord(write, { container, ref }, blob, after);
            return { written: writtenOf(after), copyId, status: "success" };
        });
    }
    finally {
        taken.release();
    }
}
/** The source could not be read to its end: the destination stays, empty, and says why. */
export async function failCopy(blobs, { ref, copyId }, description) {
    await blobs.parts.store.write(async (write) => {
        const { container, blob } = await findBlob(write, ref);
        if (blob?.copy?.id !== copyId || blob.copy.status !== "pending")
            return;
        const copy = { ...blob.copy, status: "failed", description, completedAt: write.now() };
        const revision = write.revision(blob.revision);
        putBlobRecord(write, { container, ref }, blob, { ...blob, revision, copy });
    });
}
