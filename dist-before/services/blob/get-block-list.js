import { Refusal } from "../../base/refusals.js";
import { checkWrite } from "../../concurrency/conditions.js";
import { checkLeaseRead } from "../../concurrency/lease.js";
import { blockIdOfKey, stagedBlocksOf } from "../../store/keys/blob.js";
import { stagedBlockRecord } from "../../store/records/blob.js";
import { findBlob, readState } from "./blobs.js";
import { leaseOf, throwIf } from "./containers.js";
import { blocksOf } from "./content.js";
/** Committed blocks in the order of the blob, uncommitted ones by id. */
export async function getBlockList(blobs, request) {
    const { ref, selector, wants } = request;
    return blobs.parts.store.read(async (read) => {
        const record = await recordOf(read, ref, selector);
        throwIf(checkLeaseRead(leaseOf(record), request.leaseId, read.now(), "Blob"));
        const visible = record.isUncommitted === true ? undefined : record;
        throwIf(checkWrite(request.conditions, visible, "change"));
        if (record.kind !== "block")
            throw new Refusal("InvalidBlobType");
        const committed = [];
        if (wants !== "uncommitted") {
            for await (const { id, length } of blocksOf(read, record.content))
                committed.push({ id, length });
        }
        const uncommitted = [];
        if (wants !== "committed" && record.past === undefined && record.staging !== undefined) {
            for await (const { key, value } of read.range(stagedBlocksOf(record.staging))) {
                uncommitted.push({ id: blockIdOfKey(key), length: stagedBlockRecord.unpack(value).length });
            }
        }
        return { record: visible, committed, uncommitted };
    });
}
async function recordOf(read, ref, selector) {
    if (selector.snapshot !== undefined || selector.version !== undefined) {
        return (await readState(read, ref, selector)).record;
    }
    const { stored, blob } = await findBlob(read, ref);
    const record = stored?.isUncommitted === true ? stored : blob;
    if (record === undefined)
        throw new Refusal("BlobNotFound");
    return record;
}
