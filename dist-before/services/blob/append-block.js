import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { Refusal } from "../../base/refusals.js";
import { checkAppend } from "../../concurrency/conditions.js";
import { keepContent } from "../payload/content.js";
import { appendToContent } from "./append-content.js";
import { checkBlobWrite, findBlob, putBlobRecord, withLeaseAfterWrite } from "./blobs.js";
import { readContainer, throwIf } from "./containers.js";
import { checkKey } from "./get-blob.js";
import { scopeFor, writtenOf } from "./put-blob.js";
/**
 * Append Block. The bytes come in first; where they land is decided in the transaction, so each of many parallel
 * appends gets an offset and a count of its own, in the order in which they are committed.
 */
export async function appendBlock(blobs, request) {
    const { store, payloads } = blobs.parts;
    const { ref } = request;
    // Not trusted later, but a client with a large body for nowhere should hear of it before it has sent it.
    if (!(request.body instanceof Uint8Array))
        await store.read((read) => readContainer(read, ref));
    const taken = await takeBlock(blobs, request.body);
    try {
        return await store.write(async (write) => {
            const found = await findBlob(write, ref);
            const before = checkAppendable(write, found, request, taken.length);
            await keepContent(payloads, write, taken.content);
            const content = await appendToContent(payloads, write, before, taken.content, taken.length);
            const blockCount = (before.appendCount ?? 0) + 1;
            const { copy: _, ...kept } = before;
            const after = withLeaseAfterWrite({
                ...kept,
                revision: write.revision(before.revision),
                content,
                length: before.length + taken.length,
                appendCount: blockCount,
            }, before, write.now());
            putBlobRecord(write, { ...found, ref }, before, after);
            return { ...writtenOf(after), offset: before.length, blockCount };
        });
    }
    finally {
        taken.release();
    }
}
async function takeBlock(blobs, body) {
    if (body instanceof Uint8Array && body.length <= BLOB_LIMITS.inlineAppendBytesMax) {
        return { content: { inline: Buffer.from(body) }, length: body.length, release() { } };
    }
    const appended = await blobs.parts.payloads.append(body);
    return {
        content: { slices: appended.slices },
        length: appended.length,
        release: () => appended.release(),
    };
}
function checkAppendable(write, found, request, appended) {
    checkBlobWrite(write, found, request, "change");
    const blob = found.blob;
    if (blob.kind !== "append")
        throw new Refusal("InvalidBlobType");
    throwIf(checkAppend(request.append, { current: blob.length, appended }));
    if (blob.isSealed === true)
        throw new Refusal("BlobIsSealed");
    checkKey(blob, request.encryption.keySha256);
    scopeFor(found.container, request.encryption);
    if ((blob.appendCount ?? 0) >= BLOB_LIMITS.appendBlocksMax)
        throw new Refusal("BlockCountExceedsLimit");
    return blob;
}
/** Append Blob Seal: from now on its content stays as it is. Sealing what is sealed changes nothing. */
export async function sealBlob(blobs, request) {
    const { ref } = request;
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkBlobWrite(write, found, request, "change");
        const before = found.blob;
        if (before.kind !== "append")
            throw new Refusal("InvalidBlobType");
        throwIf(checkAppend(request.append, { current: before.length, appended: 0 }));
        if (before.isSealed === true)
            return writtenOf(before);
        const revision = write.revision(before.revision);
        const after = withLeaseAfterWrite({ ...before, revision, isSealed: true }, before, write.now());
        putBlobRecord(write, { ...found, ref }, before, after);
        return writtenOf(after);
    });
}
