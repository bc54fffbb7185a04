import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { Refusal } from "../../base/refusals.js";
import { checkSequence } from "../../concurrency/conditions.js";
import { checkBlobWrite, findBlob, putBlobRecord, withLeaseAfterWrite } from "./blobs.js";
import { throwIf } from "./containers.js";
import { checkKey } from "./get-blob.js";
import { clearPages, putPages, segmentAt, writablePages } from "./page-content.js";
import { scopeFor, writtenOf } from "./put-blob.js";
/**
 * Put Page. The bytes are durable before the map is touched, and the map changes in one transaction: a reader
 * has all of a write or nothing of it, and writers of different pages never meet.
 */
export async function putPage(blobs, request) {
    const { payloads } = blobs.parts;
    const pieces = await takePieces(blobs, request.span.start, request.body);
    try {
        return await changePages(blobs, request, async (write, content) => {
            const slices = pieces.flatMap(({ appended }) => appended.slices);
            await payloads.keep(write, slices);
            await putPages(payloads, write, content, pieces.flatMap(rangesOf));
        });
    }
    finally {
        for (const { appended } of pieces)
            appended.release();
    }
}
/** A slice never reaches over the end of a segment: what a segment names is its own to count and to rewrite. */
async function takePieces(blobs, start, body) {
    const { segmentBytes } = BLOB_LIMITS;
    const taken = [];
    for (let at = 0; at < body.length;) {
        const segment = segmentAt(start + at);
        const end = Math.min(body.length, (segment + 1) * segmentBytes - start);
        const part = body.subarray(at, end);
        const from = start + at;
        taken.push(blobs.parts.payloads.append(part).then((appended) => ({ segment, start: from, appended })));
        at = end;
    }
    const settled = await Promise.allSettled(taken);
    const failed = settled.find((one) => one.status === "rejected");
    if (failed !== undefined) {
        for (const one of settled)
            if (one.status === "fulfilled")
                one.value.appended.release();
        throw failed.reason;
    }
    return settled.map((one) => one.value);
}
function rangesOf({ segment, start, appended }) {
    let at = start;
    return appended.slices.map((slice) => {
        const range = { segment, start: at, length: slice.length, slice, from: 0 };
        at += slice.length;
        return range;
    });
}
/** Put Page with x-ms-page-write: clear. The pages read as zeros and take no space. */
export async function clearPage(blobs, request) {
    return changePages(blobs, request, (write, content) => clearPages(blobs.parts.payloads, write, content, request.span));
}
async function changePages(blobs, request, change) {
    const { ref, span } = request;
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkBlobWrite(write, found, request, "change");
        const before = pageBlobOf(found);
        throwIf(checkSequence(request.sequence, before.sequenceNumber ?? 0n));
        checkKey(before, request.encryption.keySha256);
        scopeFor(found.container, request.encryption);
        if (span.start + span.length > before.length)
            throw new Refusal("InvalidPageRange");
        const content = await writablePages(blobs.parts.payloads, write, before.content);
        await change(write, content);
        const revision = write.revision(before.revision);
        const after = withLeaseAfterWrite({ ...before, content, revision }, before, write.now());
        putBlobRecord(write, { ...found, ref }, before, after);
        return { ...writtenOf(after), sequenceNumber: before.sequenceNumber ?? 0n };
    });
}
/** The blob as a page blob that can be written to. */
export function pageBlobOf({ blob }) {
    if (blob === undefined)
        throw new Refusal("BlobNotFound");
    if (blob.kind !== "page" || !("pages" in blob.content))
        throw new Refusal("InvalidBlobType");
    if (blob.copy?.isIncremental === true)
        throw new Refusal("OperationNotAllowedOnIncrementalCopyBlob");
    return blob;
}
