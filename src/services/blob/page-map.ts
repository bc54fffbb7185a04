import type { PageRangeEntry, StoredSlice } from "../../store/records/blob.ts";
import { BLOB_LIMITS } from "./limits.ts";

/**
 * Pure functions over the ranges of one segment, which are sorted and do not overlap. Offsets count from the
 * beginning of the blob.
 */
export interface PageSpan {
  readonly start: number;
  readonly length: number;
}

const endOf = ({ start, length }: PageSpan): number => start + length;

/** The ranges after a write of `fresh` over the span, or after clearing the span when `fresh` is empty. */
export function spliceRanges(
  ranges: readonly PageRangeEntry[],
  span: PageSpan,
  fresh: readonly PageRangeEntry[],
): PageRangeEntry[] {
  const end = endOf(span);
  const before: PageRangeEntry[] = [];
  const after: PageRangeEntry[] = [];
  for (const range of ranges) {
    if (range.start < span.start) before.push(cut(range, range.start, Math.min(endOf(range), span.start)));
    if (endOf(range) > end) after.push(cut(range, Math.max(range.start, end), endOf(range)));
  }
  return [...before, ...fresh, ...after];
}

/** The part of a range between two offsets that lie inside it. */
export function cut(range: PageRangeEntry, start: number, end: number): PageRangeEntry {
  if (start === range.start && end === endOf(range)) return range;
  return { ...range, start, length: end - start, from: range.from + (start - range.start) };
}

/** How many ranges name each slice. */
function countSlices(ranges: readonly PageRangeEntry[]): Map<string, { slice: StoredSlice; count: number }> {
  const counts = new Map<string, { slice: StoredSlice; count: number }>();
  for (const { slice } of ranges) {
    const key = `${slice.extent}:${slice.offset}`;
    const counted = counts.get(key);
    if (counted === undefined) counts.set(key, { slice, count: 1 });
    else counted.count++;
  }
  return counts;
}

/** The references to add and to drop when `after` replaces `before`; a slice is listed once per reference. */
export function referenceChanges(
  before: readonly PageRangeEntry[],
  after: readonly PageRangeEntry[],
): { readonly shared: StoredSlice[]; readonly dropped: StoredSlice[] } {
  const [old, now] = [countSlices(before), countSlices(after)];
  const shared: StoredSlice[] = [];
  const dropped: StoredSlice[] = [];
  for (const [key, { slice, count }] of now) {
    for (let i = old.get(key)?.count ?? 0; i < count; i++) shared.push(slice);
  }
  for (const [key, { slice, count }] of old) {
    for (let i = now.get(key)?.count ?? 0; i < count; i++) dropped.push(slice);
  }
  return { shared, dropped };
}

/** Bytes of the named slices that no range uses. */
function wasteOf(ranges: readonly PageRangeEntry[]): number {
  let named = 0;
  for (const { slice } of countSlices(ranges).values()) named += slice.length;
  return named - ranges.reduce((sum, { length }) => sum + length, 0);
}

/** Whether the number of ranges has passed a multiple of `segmentRangesMax`. */
export function crossesRangesMax(before: number, after: number): boolean {
  const { segmentRangesMax } = BLOB_LIMITS;
  return Math.floor(after / segmentRangesMax) > Math.floor(before / segmentRangesMax);
}

/** Whether this write has made the segment worth defragmenting. True once, not for each later write. */
export function isFragmented(before: readonly PageRangeEntry[], after: readonly PageRangeEntry[]): boolean {
  const { segmentWasteBytesMax } = BLOB_LIMITS;
  if (crossesRangesMax(before.length, after.length)) return true;
  return wasteOf(after) > segmentWasteBytesMax && wasteOf(before) <= segmentWasteBytesMax;
}

/** Joins adjacent and overlapping spans, which are sorted. */
export function joinSpans(spans: Iterable<PageSpan>): PageSpan[] {
  const joined: { start: number; length: number }[] = [];
  for (const { start, length } of spans) {
    const last = joined.at(-1);
    if (last !== undefined && endOf(last) >= start)
      last.length = Math.max(last.length, start + length - last.start);
    else joined.push({ start, length });
  }
  return joined;
}

/** The bytes of the first that are not in the second; both are sorted. */
export function subtractSpans(first: readonly PageSpan[], second: readonly PageSpan[]): PageSpan[] {
  const rest: PageSpan[] = [];
  let i = 0;
  for (const span of first) {
    let at = span.start;
    while (i < second.length && endOf(second[i]!) <= at) i++;
    for (let j = i; j < second.length && second[j]!.start < endOf(span); j++) {
      if (second[j]!.start > at) rest.push({ start: at, length: second[j]!.start - at });
      at = Math.max(at, endOf(second[j]!));
    }
    if (at < endOf(span)) rest.push({ start: at, length: endOf(span) - at });
  }
  return rest;
}

export function clip(span: PageSpan, bounds: PageSpan): PageSpan | undefined {
  const start = Math.max(span.start, bounds.start);
  const end = Math.min(endOf(span), endOf(bounds));
  return start < end ? { start, length: end - start } : undefined;
}
