import { Refusal } from "../../base/refusals.js";
import { timestampOf } from "../../base/revision.js";
import { checkBlobWrite, findBlob } from "./blobs.js";
import { shareBlobContent } from "./content.js";
import { readSource } from "./copy-blob.js";
import { newBlob, writtenOf } from "./put-blob.js";
import { putPast, replaceBlob } from "./replace-blob.js";
/**
 * Incremental Copy Blob: a snapshot of a page blob becomes a snapshot of the destination. Both share the map of
 * pages, so what is copied is only what is new, and differences between the snapshots of the destination are
 * those between the snapshots of the source. Each copy must be of a later snapshot of the same blob.
 */
export async function copyIncremental(blobs, request) {
    const { ref, copyId } = request;
    const at = request.source.selector.snapshot;
    if (at === undefined)
        throw new Refusal("IncrementalCopySourceMustBeSnapshot");
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkBlobWrite(write, found, request, "create");
        const source = await readSource(write, request.source, "copy");
        if (source.kind !== "page" || !("pages" in source.content))
            throw new Refusal("InvalidSourceBlobType");
        checkSameLine(found, request.source, at, source);
        const { payloads } = blobs.parts;
        // Once for the destination, once for its snapshot.
        await shareBlobContent(payloads, write, source.content);
        await shareBlobContent(payloads, write, source.content);
        const after = copyOf(write, found, source, request);
        const place = { ...found, ref };
        const written = await replaceBlob(blobs, write, place, { before: found.stored, after });
        putPast(write, place, after.copy.destinationSnapshot, { ...written, past: "snapshot" });
        return { written: writtenOf(written), copyId, status: "success" };
    });
}
/** A destination that is there must have been made in this way, from the same blob, and from an earlier snapshot. */
function checkSameLine({ blob }, { shown }, at, source) {
    if (blob === undefined)
        return;
    if (blob.kind !== "page" || blob.copy?.isIncremental !== true) {
        throw new Refusal("IncrementalCopyBlobMismatch");
    }
    const [former, snapshot] = blob.copy.source.split("?snapshot=");
    const isSameBlob = former === shown.split("?")[0];
    const isSameLife = "pages" in blob.content && "pages" in source.content;
    if (!isSameBlob || !isSameLife)
        throw new Refusal("IncrementalCopyBlobMismatch");
    const isLater = timestampOf(at) > decodeURIComponent(snapshot ?? "");
    if (!isLater)
        throw new Refusal("IncrementalCopyOfEarlierSnapshotNotAllowed");
}
function copyOf(write, found, source, request) {
    const made = newBlob(write, found, {
        kind: "page",
        content: source.content,
        length: source.length,
        properties: { http: source.http, metadata: source.metadata ?? {}, encryption: {} },
    });
    const copy = {
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
