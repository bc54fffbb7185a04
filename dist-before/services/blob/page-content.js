import { assert } from "../../base/assert.js";
import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { contentKey, epochKey, epochsOfSegment, piecedSegmentKey, segmentKey, segmentOfKey, segmentsOf, } from "../../store/keys/blob.js";
import { contentRecord, epochRecord, piecedSegmentRecord, segmentRecord, } from "../../store/records/blob.js";
import { hasBecomePieced, referenceChanges, spliceRanges } from "./page-map.js";
import { discard } from "./retention.js";
const { segmentBytes } = BLOB_LIMITS;
export const segmentAt = (offset) => Math.floor(offset / segmentBytes);
/** A map of nothing, with its first reference. */
export function putEmptyPages(write, origins = []) {
    const id = write.revision();
    const past = origins.length === 0 ? {} : { origins };
    write.put(contentKey(id), contentRecord.pack({ refs: 1, head: id, ...past }));
    write.put(epochKey(id, id), epochRecord.pack({ holders: 1 }));
    return { pages: id, epoch: id };
}
export async function sharePages(write, { pages, epoch }) {
    const { refs, ...rest } = await readContent(write, pages);
    write.put(contentKey(pages), contentRecord.pack({ ...rest, refs: refs + 1 }));
    const holders = await holdersOf(write, { pages, epoch });
    write.put(epochKey(pages, epoch), epochRecord.pack({ holders: holders + 1 }));
}
/** With its last holder an epoch can go; with the last of all, everything. */
export async function releasePages(write, { pages, epoch }) {
    const { refs, ...rest } = await readContent(write, pages);
    if (refs === 1) {
        write.delete(contentKey(pages));
        discard(write, { what: "content", id: pages, form: "pages" });
        return;
    }
    write.put(contentKey(pages), contentRecord.pack({ ...rest, refs: refs - 1 }));
    await leaveEpoch(write, { pages, epoch });
}
async function leaveEpoch(write, { pages, epoch }) {
    const holders = await holdersOf(write, { pages, epoch });
    if (holders > 1) {
        write.put(epochKey(pages, epoch), epochRecord.pack({ holders: holders - 1 }));
        return;
    }
    write.delete(epochKey(pages, epoch));
    discard(write, { what: "epoch", id: pages, epoch, from: 0 });
}
async function readContent(read, id) {
    const stored = await read.get(contentKey(id));
    assert(stored !== undefined, `content ${id} is named and not counted`);
    return contentRecord.unpack(stored);
}
async function holdersOf(read, { pages, epoch }) {
    const stored = await read.get(epochKey(pages, epoch));
    assert(stored !== undefined, `epoch ${epoch} of content ${pages} is named and not counted`);
    return epochRecord.unpack(stored).holders;
}
/** A content nobody else looks at, with the same pages: for writing. */
export async function writablePages(payloads, write, content) {
    const { pages, epoch } = content;
    const { head, ...rest } = await readContent(write, pages);
    const isAlone = (await holdersOf(write, content)) === 1;
    if (head === epoch && isAlone)
        return content;
    if (head !== epoch)
        return copyPages(payloads, write, content);
    const next = write.revision(epoch);
    write.put(contentKey(pages), contentRecord.pack({ ...rest, head: next }));
    write.put(epochKey(pages, next), epochRecord.pack({ holders: 1 }));
    await leaveEpoch(write, content);
    return { pages, epoch: next };
}
/**
 * The line has gone on without this epoch: a map of its own, sharing the bytes. Its ranges keep the epochs they
 * were written in, so that differences from earlier snapshots can still be told.
 */
async function copyPages(payloads, write, content) {
    const { pages, epoch } = content;
    const { origins = [] } = await readContent(write, pages);
    const copy = putEmptyPages(write, [...origins, { pages, epoch }]);
    for await (const { segment, ranges } of segmentsIn(write, content)) {
        await payloads.share(write, ranges.map(({ slice }) => slice));
        write.put(segmentKey(copy.pages, segment, copy.epoch), segmentRecord.pack(ranges));
    }
    await releasePages(write, content);
    return copy;
}
/** Whether the later content has come out of the earlier one by writing alone. */
export async function hasGrownFrom(read, later, earlier) {
    if (later.pages === earlier.pages)
        return later.epoch >= earlier.epoch;
    const { origins = [] } = await readContent(read, later.pages);
    return origins.some(({ pages, epoch }) => pages === earlier.pages && epoch >= earlier.epoch);
}
/** The segments of a content as its epoch sees them, in order, those that hold nothing included. */
export async function* segmentsIn(read, { pages, epoch }, bounds = { start: 0, length: BLOB_LIMITS.pageBlobBytesMax }) {
    const range = segmentsOf(pages, segmentAt(bounds.start), segmentAt(bounds.start + bounds.length - 1) + 1);
    let last;
    for await (const { key, value } of read.range(range)) {
        const at = segmentOfKey(key);
        if (last !== undefined && last.segment !== at.segment) {
            yield { segment: last.segment, epoch: last.epoch, ranges: segmentRecord.unpack(last.value) };
            last = undefined;
        }
        if (at.epoch <= epoch)
            last = { ...at, value };
    }
    if (last !== undefined) {
        yield { segment: last.segment, epoch: last.epoch, ranges: segmentRecord.unpack(last.value) };
    }
}
async function segmentOf(read, { pages, epoch }, segment) {
    const range = epochsOfSegment(pages, segment, epoch);
    for await (const { key, value } of read.range({ ...range, reverse: true, limit: 1 })) {
        return { ...segmentOfKey(key), ranges: segmentRecord.unpack(value) };
    }
    return { segment, epoch, ranges: [] };
}
/** Writes slices just appended (and kept) into the map. Each range lies in one segment. */
export async function putPages(payloads, write, content, written) {
    for (const { segment, ...range } of written) {
        const seen = await segmentOf(write, content, segment);
        const fresh = { ...range, epoch: content.epoch };
        await putSegment(payloads, write, content, seen, range, [fresh]);
    }
}
/** Clears pages: only segments that hold something are touched, however long the span. */
export async function clearPages(payloads, write, content, span) {
    if (span.length === 0)
        return;
    const touched = [];
    for await (const seen of segmentsIn(write, content, span)) {
        if (seen.ranges.length > 0)
            touched.push(seen);
    }
    for (const seen of touched)
        await putSegment(payloads, write, content, seen, span, []);
}
async function putSegment(payloads, write, { pages, epoch }, seen, span, fresh) {
    const isOwn = seen.epoch === epoch;
    const after = spliceRanges(seen.ranges, span, fresh);
    // The fresh ones bring their first reference along; a record of a new epoch holds all of its own.
    const { shared, dropped } = referenceChanges([...(isOwn ? seen.ranges : []), ...fresh], after);
    if (shared.length > 0)
        await payloads.share(write, shared);
    if (dropped.length > 0)
        await payloads.drop(write, dropped);
    write.put(segmentKey(pages, seen.segment, epoch), segmentRecord.pack(after));
    if (hasBecomePieced(seen.ranges, after)) {
        const pieced = { content: pages, segment: seen.segment, epoch };
        write.put(piecedSegmentKey(write.revision()), piecedSegmentRecord.pack(pieced));
    }
}
