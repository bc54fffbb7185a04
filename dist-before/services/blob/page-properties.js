import { Refusal } from "../../base/refusals.js";
import { checkBlobWrite, findBlob, putBlobRecord, withLeaseAfterWrite } from "./blobs.js";
import { checkKey } from "./get-blob.js";
import { clearPages, writablePages } from "./page-content.js";
import { writtenOf } from "./put-blob.js";
import { pageBlobOf } from "./put-page.js";
const SEQUENCE_MAX = 2n ** 63n - 1n;
/** Set Blob Properties of a page blob: its length, its sequence number, and the headers as of any blob. */
export async function setPageProperties(blobs, request) {
    const { ref, http, sequence } = request;
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkBlobWrite(write, found, request, "change");
        const before = pageBlobOf(found);
        const length = request.length ?? before.length;
        if (request.length !== undefined && before.keySha256 !== undefined) {
            checkKey(before, request.encryption.keySha256);
        }
        let { content } = before;
        if (length < before.length) {
            // What is cut off must read as zeros if the blob grows again.
            content = await writablePages(blobs.parts.payloads, write, content);
            const span = { start: length, length: before.length - length };
            await clearPages(blobs.parts.payloads, write, content, span);
        }
        const { copy: _, ...kept } = before;
        const after = {
            ...kept,
            content,
            length,
            revision: write.revision(before.revision),
            sequenceNumber: nextSequence(before, sequence),
            ...(http === undefined ? {} : { http }),
        };
        // Like writes of pages, it leaves no version behind.
        const record = withLeaseAfterWrite(after, before, write.now());
        putBlobRecord(write, { ...found, ref }, before, record);
        return { ...writtenOf(record), record };
    });
}
function nextSequence({ sequenceNumber = 0n }, sequence) {
    switch (sequence?.action) {
        case undefined:
            return sequenceNumber;
        case "max":
            return sequence.number > sequenceNumber ? sequence.number : sequenceNumber;
        case "update":
            return sequence.number;
        case "increment":
            if (sequenceNumber === SEQUENCE_MAX)
                throw new Refusal("SequenceNumberIncrementTooLarge");
            return sequenceNumber + 1n;
    }
}
