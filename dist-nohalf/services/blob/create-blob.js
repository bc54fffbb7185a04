import { Refusal } from "../../base/refusals.js";
import { findBlob } from "./blobs.js";
import { putEmptyPages } from "./page-content.js";
import { checkCreate, newBlob, writtenOf, } from "./put-blob.js";
import { replaceBlob } from "./replace-blob.js";
/** Put Blob of an append blob: empty, whatever had its name before. */
export async function createAppendBlob(blobs, request) {
    const { ref, properties } = request;
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkCreate(write, found, request);
        const content = { inline: Buffer.alloc(0) };
        const made = newBlob(write, found, { kind: "append", content, length: 0, properties });
        const after = { ...made, appendCount: 0 };
        return writtenOf(await replaceBlob(blobs, write, { container: found.container, ref }, { before: found.stored, after }));
    });
}
/** Put Blob of a page blob: as long as it is told, and nothing but zeros that take no space. */
export async function createPageBlob(blobs, request) {
    const { ref, properties, length, sequenceNumber } = request;
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkCreate(write, found, request);
        if (found.blob?.copy?.isIncremental === true) {
            throw new Refusal("OperationNotAllowedOnIncrementalCopyBlob");
        }
        const content = putEmptyPages(write);
        const made = newBlob(write, found, { kind: "page", content, length, properties });
        const after = { ...made, sequenceNumber };
        return writtenOf(await replaceBlob(blobs, write, { container: found.container, ref }, { before: found.stored, after }));
    });
}
