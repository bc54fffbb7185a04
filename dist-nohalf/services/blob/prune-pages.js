import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { epochOfKey, epochsOf, segmentOfKey, segmentsOf } from "../../store/keys/blob.js";
import { segmentRecord } from "../../store/records/blob.js";
/**
 * An epoch of a page blob has lost its last holder (its snapshot was deleted, say). A segment's record that no
 * held epoch sees goes: it is newer than the held epoch below, and a newer record hides it from the held epoch
 * above. Returns the segment to go on with, or undefined at the end.
 */
export async function pruneEpoch(blobs, write, { id, epoch, from }) {
    const { below, above } = await neighboursOf(write, id, epoch);
    let records = [];
    let segment = from;
    let seen = 0;
    const finish = async () => {
        for (const [i, record] of records.entries()) {
            const next = records[i + 1];
            const isBetween = record.epoch > below && (above === undefined || record.epoch < above);
            const isHidden = above === undefined || (next !== undefined && next.epoch <= above);
            if (!isBetween || !isHidden)
                continue;
            write.delete(record.key);
            await dropRanges(blobs, write, segmentRecord.unpack(record.value));
        }
        records = [];
    };
    for await (const { key, value } of write.range(segmentsOf(id, from))) {
        const at = segmentOfKey(key);
        if (at.segment !== segment) {
            await finish();
            segment = at.segment;
            if (seen >= BLOB_LIMITS.reclaimRecordsPerStep)
                return segment;
        }
        records.push({ key, epoch: at.epoch, value });
        seen++;
    }
    await finish();
    return undefined;
}
export async function dropRanges(blobs, write, ranges) {
    if (ranges.length === 0)
        return;
    await blobs.parts.payloads.drop(write, ranges.map(({ slice }) => slice));
}
async function neighboursOf(write, id, epoch) {
    let below = 0n;
    for await (const { key } of write.range(epochsOf(id))) {
        const held = epochOfKey(key);
        if (held > epoch)
            return { below, above: held };
        if (held < epoch)
            below = held;
    }
    return { below, above: undefined };
}
