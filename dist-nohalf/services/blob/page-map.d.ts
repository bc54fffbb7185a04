import type { PageRangeEntry, StoredSlice } from "../../store/records/blob.ts";
/**
 * The ranges of one segment, sorted and apart from one another: what a write makes of them, as plain functions.
 * Offsets are those of the blob.
 */
export interface PageSpan {
    readonly start: number;
    readonly length: number;
}
/** The ranges after the span is written with `fresh`, or cleared when there is none. */
export declare function spliceRanges(ranges: readonly PageRangeEntry[], span: PageSpan, fresh: readonly PageRangeEntry[]): PageRangeEntry[];
/** The part of a range between two offsets that lie inside it. */
export declare function cut(range: PageRangeEntry, start: number, end: number): PageRangeEntry;
/** How often each slice is named. */
export declare function tally(ranges: readonly PageRangeEntry[]): Map<string, {
    slice: StoredSlice;
    count: number;
}>;
/** Slices to be shared and dropped, one for each time, so that `after` holds what it names instead of `before`. */
export declare function referenceChanges(before: readonly PageRangeEntry[], after: readonly PageRangeEntry[]): {
    readonly shared: StoredSlice[];
    readonly dropped: StoredSlice[];
};
/** Whether a write has just made a segment one that should be put together. Said once, not at every write. */
export declare function hasBecomePieced(before: readonly PageRangeEntry[], after: readonly PageRangeEntry[]): boolean;
/** Neighbours become one span. */
export declare function joinSpans(spans: Iterable<PageSpan>): PageSpan[];
/** What is in the first and not in the second; both sorted. */
export declare function subtractSpans(first: readonly PageSpan[], second: readonly PageSpan[]): PageSpan[];
export declare function clip(span: PageSpan, bounds: PageSpan): PageSpan | undefined;
