import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { Refusal } from "../../base/refusals.js";
import { timestampOf } from "../../base/revision.js";
import { checkSingleRead } from "../../concurrency/conditions.js";
import { pastKey } from "../../store/keys/blob.js";
import { blobRecord } from "../../store/records/blob.js";
import { checkReadLease, readState } from "./blobs.js";
import { throwIf } from "./containers.js";
import { hasGrownFrom, segmentsIn } from "./page-content.js";
import { clip, joinSpans, subtractSpans } from "./page-map.js";
/** Get Page Ranges: pages that were written, or what became of pages since a snapshot. In order, neighbours joined. */
export async function getPageRanges(blobs, request) {
    const { ref, selector } = request;
    return blobs.parts.store.read(async (read) => {
        const state = await readState(read, ref, selector);
        const { record } = state;
        checkReadLease(read, state, request.leaseId);
        throwIf(checkSingleRead(request.conditions, record));
        const content = pagesOf(record);
        const whole = { start: 0, length: record.length };
        const within = clip(request.within ?? whole, whole);
        if (within === undefined)
            return { record, ranges: [], next: undefined };
        const end = within.start + within.length;
        const start = Math.max(within.start, request.from);
        if (start >= end)
            return { record, ranges: [], next: undefined };
        const bounds = { start, length: end - start };
        const found = request.previous === undefined
            ? writtenIn(read, content, bounds)
            : changedIn(read, content, await previousOf(read, ref, state, request), bounds);
        return { record, ...(await firstOf(found, bounds, request.maxResults)) };
    });
}
function pagesOf({ kind, content, tier }) {
    if (kind !== "page" || !("pages" in content))
        throw new Refusal("InvalidBlobType");
    if (tier === "Archive")
        throw new Refusal("BlobArchived");
    return content;
}
/** The snapshot a difference starts from: of the same blob, of the same life of it, and older. */
async function previousOf(read, ref, { container, record }, { selector, previous }) {
    const newest = selector.snapshot;
    if (newest !== undefined && previous > newest)
        throw new Refusal("PreviousSnapshotCannotBeNewer");
    const stored = await read.get(pastKey(container.id, ref.blob, previous));
    const before = stored && blobRecord.unpack(stored);
    if (before?.past !== "snapshot" || before.deleted !== undefined) {
        throw new Refusal("PreviousSnapshotNotFound", {
            elements: { PreviousSnapshot: timestampOf(previous) },
        });
    }
    if (before.kind !== "page")
        throw new Refusal("InvalidBlobType");
    const [old, now] = [pagesOf(before), pagesOf(record)];
    if (!(await hasGrownFrom(read, now, old)))
        throw new Refusal("BlobOverwritten");
    return old;
}
async function* writtenIn(read, content, bounds) {
    for await (const { ranges } of segmentsIn(read, content, bounds)) {
        for (const { start, length } of joinSpans(ranges))
            yield { start, length, isCleared: false };
    }
}
/**
 * What changed between two epochs of one line. A segment that has no record between them has not been touched;
 * in the others, ranges written since are changed, and what was there and is in no range any more was cleared.
 */
async function* changedIn(read, now, old, bounds) {
    const before = segmentsIn(read, old, bounds);
    let former = await before.next();
    for await (const seen of segmentsIn(read, now, bounds)) {
        while (!former.done && former.value.segment < seen.segment)
            former = await before.next();
        const then = !former.done && former.value.segment === seen.segment ? former.value : undefined;
        if (now.pages === old.pages && then?.epoch === seen.epoch)
            continue;
        yield* differenceOf(then, seen, old.epoch);
    }
}
function differenceOf(then, now, since) {
    const written = joinSpans(now.ranges.filter(({ epoch }) => epoch > since));
    const cleared = subtractSpans(joinSpans(then?.ranges ?? []), joinSpans(now.ranges));
    return [
        ...written.map((span) => ({ ...span, isCleared: false })),
        ...cleared.map((span) => ({ ...span, isCleared: true })),
    ].sort((one, other) => one.start - other.start);
}
/** Neighbours of the same kind joined across segments, cut to the bounds, and no more than asked for. */
async function firstOf(found, bounds, maxResults) {
    const max = Math.min(maxResults ?? Number.POSITIVE_INFINITY, BLOB_LIMITS.pageBlobBytesMax);
    const ranges = [];
    for await (const range of found) {
        const span = clip(range, bounds);
        if (span === undefined)
            continue;
        const last = ranges.at(-1);
        if (last !== undefined && last.isCleared === range.isCleared && last.start + last.length === span.start) {
            ranges[ranges.length - 1] = { ...last, length: last.length + span.length };
        }
        else if (ranges.length >= max)
            return { ranges, next: span.start };
        else
            ranges.push({ ...span, isCleared: range.isCleared });
    }
    return { ranges, next: undefined };
}
