import { BLOB_LIMITS } from "../../base/limits-blob.js";
const endOf = ({ start, length }) => start + length;
/** The ranges after the span is written with `fresh`, or cleared when there is none. */
export function spliceRanges(ranges, span, fresh) {
    const end = endOf(span);
    const before = [];
    const after = [];
    for (const range of ranges) {
        if (range.start < span.start)
            before.push(cut(range, range.start, Math.min(endOf(range), span.start)));
        if (endOf(range) > end)
            after.push(cut(range, Math.max(range.start, end), endOf(range)));
    }
    return [...before, ...fresh, ...after];
}
/** The part of a range between two offsets that lie inside it. */
export function cut(range, start, end) {
    if (start === range.start && end === endOf(range))
        return range;
    return { ...range, start, length: end - start, from: range.from + (start - range.start) };
}
/** How often each slice is named. */
export function tally(ranges) {
    const counts = new Map();
    for (const { slice } of ranges) {
        const key = `${slice.extent}:${slice.offset}`;
        const known = counts.get(key);
        if (known === undefined)
            counts.set(key, { slice, count: 1 });
        else
            known.count++;
    }
    return counts;
}
/** Slices to be shared and dropped, one for each time, so that `after` holds what it names instead of `before`. */
export function referenceChanges(before, after) {
    const [old, now] = [tally(before), tally(after)];
    const shared = [];
    const dropped = [];
    for (const [key, { slice, count }] of now) {
        for (let i = old.get(key)?.count ?? 0; i < count; i++)
            shared.push(slice);
    }
    for (const [key, { slice, count }] of old) {
        for (let i = now.get(key)?.count ?? 0; i < count; i++)
            dropped.push(slice);
    }
    return { shared, dropped };
}
/** Bytes of slices that are named and not used. */
function wasteOf(ranges) {
    let named = 0;
    for (const { slice } of tally(ranges).values())
        named += slice.length;
    return named - ranges.reduce((sum, { length }) => sum + length, 0);
}
/** Whether a write has just made a segment one that should be put together. Said once, not at every write. */
export function hasBecomePieced(before, after) {
    const { segmentRangesMax, segmentWasteBytesMax } = BLOB_LIMITS;
    const steps = (ranges) => Math.floor(ranges.length / segmentRangesMax);
    if (steps(after) > steps(before))
        return true;
    return wasteOf(after) > segmentWasteBytesMax && wasteOf(before) <= segmentWasteBytesMax;
}
/** Neighbours become one span. */
export function joinSpans(spans) {
    const joined = [];
    for (const { start, length } of spans) {
        const last = joined.at(-1);
        if (last !== undefined && endOf(last) === start)
            last.length += length;
        else
            joined.push({ start, length });
    }
    return joined;
}
/** What is in the first and not in the second; both sorted. */
export function subtractSpans(first, second) {
    const left = [];
    let i = 0;
    for (const span of first) {
        let at = span.start;
        while (i < second.length && endOf(second[i]) <= at)
            i++;
        for (let j = i; j < second.length && second[j].start < endOf(span); j++) {
            if (second[j].start > at)
                left.push({ start: at, length: second[j].start - at });
            at = Math.max(at, endOf(second[j]));
        }
        if (at < endOf(span))
            left.push({ start: at, length: endOf(span) - at });
    }
    return left;
}
export function clip(span, bounds) {
    const start = Math.max(span.start, bounds.start);
    const end = Math.min(endOf(span), endOf(bounds));
    return start < end ? { start, length: end - start } : undefined;
}
