import { Refusal } from "../../base/refusals.js";
import { checkRead, NO_CONDITIONS } from "../../concurrency/conditions.js";
import { checkReadLease, readState } from "./blobs.js";
import { throwIf } from "./containers.js";
import { openBlobContent } from "./content.js";
/** Get Blob Properties, Get Blob Metadata. */
export async function getBlobProperties(blobs, request) {
    return blobs.parts.store.read(async (read) => {
        const { record, isCurrent } = await look(read, request);
        return { record, isCurrent, now: read.now() };
    });
}
/**
 * Get Blob. The record and its bytes come from one snapshot, and the bytes are pinned before the snapshot ends:
 * the download has the content and the ETag it started with, whatever is written while it runs.
 */
export async function getBlob(blobs, request) {
    return blobs.parts.store.read(async (read) => {
        const { record, isCurrent } = await look(read, request);
        if (record.tier === "Archive")
            throw new Refusal("BlobArchived");
        const range = request.rangeOf(record.length);
        const payload = "inline" in record.content || range.length === 0
            ? undefined
            : await openBlobContent(blobs.parts.payloads, read, record, range);
        return { record, isCurrent, now: read.now(), range, payload };
    });
}
async function look(read, request) {
    const state = await readState(read, request.ref, request.selector);
    checkReadLease(read, state, request.leaseId);
    if (request.conditions !== NO_CONDITIONS)
        throwIf(checkRead(request.conditions, state.record));
    checkKey(state.record, request.keySha256);
    return state;
}
/** A blob written with a customer's key is read with the same key or not at all. */
export function checkKey({ keySha256 }, given) {
    if (keySha256 === given)
        return;
    if (given === undefined)
        throw new Refusal("BlobUsesCustomerSpecifiedEncryption");
    throw new Refusal(keySha256 === undefined
        ? "BlobDoesNotUseCustomerSpecifiedEncryption"
        : "BlobCustomerSpecifiedEncryptionMismatch");
}
