import type { PageRangeEntry, StoredSlice } from "../../store/records/blob.ts";
import { BLOB_LIMITS } from "./limits.ts";

/**
 * The ranges of one segment, sorted and apart from one another: what a write makes of them, as plain functions.
 * Offsets are those of the blob.
 */
export interface PageSpan {
  readonly start: number;
  readonly length: number;
}

const endOf = ({ start, length }: PageSpan): number => start + length;

/** The ranges after the span is written with `fresh`, or cleared when there is none. */
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

/** How often each slice is named. */
export function tally(ranges: readonly PageRangeEntry[]): Map<string, { slice: StoredSlice; count: number }> {
  const counts = new Map<string, { slice: StoredSlice; count: number }>();
  for (const { slice } of ranges) {
    const key = `${slice.extent}:${slice.offset}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { slice, count: 1 });
    else known.count++;
  }
  return counts;
}

/** Slices to be shared and dropped, one for each time, so that `after` holds what it names instead of `before`. */
export function referenceChanges(
  before: readonly PageRangeEntry[],
  after: readonly PageRangeEntry[],
): { readonly shared: StoredSlice[]; readonly dropped: StoredSlice[] } {
  const [old, now] = [tally(before), tally(after)];
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

/** Bytes of slices that are named and not used. */
function wasteOf(ranges: readonly PageRangeEntry[]): number {
  let named = 0;
  for (const { slice } of tally(ranges).values()) named += slice.length;
  return named - ranges.reduce((sum, { length }) => sum + length, 0);
}

/** Whether so many ranges are a step more than there were. */
export function fragmentsStep(before: number, after: number): boolean {
  const { segmentRangesMax } = BLOB_LIMITS;
  return Math.floor(after / segmentRangesMax) > Math.floor(before / segmentRangesMax);
}

/** Whether a write has just made a segment one that should be put together. Said once, not at every write. */
export function isFragmented(before: readonly PageRangeEntry[], after: readonly PageRangeEntry[]): boolean {
  const { segmentWasteBytesMax } = BLOB_LIMITS;
  if (fragmentsStep(before.length, after.length)) return true;
  return wasteOf(after) > segmentWasteBytesMax && wasteOf(before) <= segmentWasteBytesMax;
}

/** Neighbours become one span. */
export function joinSpans(spans: Iterable<PageSpan>): PageSpan[] {
  const joined: { start: number; length: number }[] = [];
  for (const { start, length } of spans) {
    const last = joined.at(-1);
    if (last !== undefined && endOf(last) === start) last.length += length;
    else joined.push({ start, length });
  }
  return joined;
}

/** What is in the first and not in the second; both sorted. */
export function subtractSpans(first: readonly PageSpan[], second: readonly PageSpan[]): PageSpan[] {
  const left: PageSpan[] = [];
  let i = 0;
  for (const span of first) {
    let at = span.start;
    while (i < second.length && endOf(second[i]!) <= at) i++;
    for (let j = i; j < second.length && second[j]!.start < endOf(span); j++) {
      if (second[j]!.start > at) left.push({ start: at, length: second[j]!.start - at });
      at = Math.max(at, endOf(second[j]!));
    }
    if (at < endOf(span)) left.push({ start: at, length: endOf(span) - at });
  }
  return left;
}

export function clip(span: PageSpan, bounds: PageSpan): PageSpan | undefined {
  const start = Math.max(span.start, bounds.start);
  const end = Math.min(endOf(span), endOf(bounds));
  return start < end ? { start, length: end - start } : undefined;
}
