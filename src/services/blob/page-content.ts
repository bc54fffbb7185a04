import { assert } from "../../base/assert.ts";
import {
  contentKey,
  epochKey,
  epochsOfSegment,
  fragmentedSegmentKey,
  segmentKey,
  segmentOfKey,
  segmentsOf,
} from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import {
  contentRecord,
  epochRecord,
  type FragmentedSegment,
  fragmentedSegmentRecord,
  type PageRangeEntry,
  type StoredSlice,
  segmentRecord,
} from "../../store/records/blob.ts";
import type { Payloads } from "../payload/payloads.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { crossesRangesMax, isFragmented, type PageSpan, referenceChanges, spliceRanges } from "./page-map.ts";
import { discard } from "./retention.ts";

/**
 * The map of a page blob: which pages were written, and where their bytes are. It is divided into segments,
 * each a record with its ranges, so a write changes only the segments it overlaps. Pages in no range are
 * zeros.
 *
 * A snapshot copies nothing: it keeps the current epoch, and the next write to the blob begins a new one.
 * Each epoch in which a segment changed has its own record of the segment. A reader of epoch 7 sees the
 * newest record up to 7:
 *
 *   ("br", content, segment 3, epoch 5)   seen by epochs 5 to 8
 *   ("br", content, segment 3, epoch 9)   seen from 9 on
 *
 * The epochs of a map form one line, and only the newest can be written. A write to an older one (that of a
 * copied snapshot, say) first copies the map.
 */
export interface PageContent {
  readonly pages: bigint;
  readonly epoch: bigint;
}

const { segmentBytes } = BLOB_LIMITS;
export const segmentAt = (offset: number): number => Math.floor(offset / segmentBytes);

/** An empty map with its first reference. */
export function putEmptyPages(write: Writer, origins: readonly PageContent[] = []): PageContent {
  const id = write.revision();
  const copied = origins.length === 0 ? {} : { origins };
  write.put(contentKey(id), contentRecord.pack({ refs: 1, head: id, ...copied }));
  write.put(epochKey(id, id), epochRecord.pack({ holders: 1 }));
  return { pages: id, epoch: id };
}

export async function addPagesReference(write: Writer, { pages, epoch }: PageContent): Promise<void> {
  const { refs, ...rest } = await readContent(write, pages);
  write.put(contentKey(pages), contentRecord.pack({ ...rest, refs: refs + 1 }));
  const holders = await holdersOf(write, { pages, epoch });
  write.put(epochKey(pages, epoch), epochRecord.pack({ holders: holders + 1 }));
}

/** The last reference to an epoch discards the epoch; the last to the content discards all of it. */
export async function releasePages(write: Writer, { pages, epoch }: PageContent): Promise<void> {
  const { refs, ...rest } = await readContent(write, pages);
  if (refs === 1) {
    write.delete(contentKey(pages));
    discard(write, { what: "content", id: pages, form: "pages" });
    return;
  }
  write.put(contentKey(pages), contentRecord.pack({ ...rest, refs: refs - 1 }));
  await releaseEpoch(write, { pages, epoch });
}

async function releaseEpoch(write: Writer, { pages, epoch }: PageContent): Promise<void> {
  const holders = await holdersOf(write, { pages, epoch });
  if (holders > 1) {
    write.put(epochKey(pages, epoch), epochRecord.pack({ holders: holders - 1 }));
    return;
  }
  write.delete(epochKey(pages, epoch));
  discard(write, { what: "epoch", id: pages, epoch, from: 0 });
}

async function readContent(read: Reader, id: bigint): Promise<ReturnType<typeof contentRecord.unpack>> {
  const stored = await read.get(contentKey(id));
  assert(stored !== undefined, () => `content ${id} is referenced but has no reference count`);
  return contentRecord.unpack(stored);
}

async function holdersOf(read: Reader, { pages, epoch }: PageContent): Promise<number> {
  const stored = await read.get(epochKey(pages, epoch));
  assert(
    stored !== undefined,
    () => `epoch ${epoch} of content ${pages} is referenced but has no reference count`,
  );
  return epochRecord.unpack(stored).holders;
}

/** The map must be copied first and is too long for one transaction; see copy-page-map.ts. */
export class PageMapTooLong extends Error {
  override readonly name = "PageMapTooLong";
}

/** A content with the same pages that no other record refers to. Throws `PageMapTooLong`. */
export async function writablePages(
  payloads: Payloads,
  write: Writer,
  content: PageContent,
  segmentsMax: number,
): Promise<PageContent> {
  const { pages, epoch } = content;
  const { head, ...rest } = await readContent(write, pages);
  if (head !== epoch) {
    if (await isLongerThan(write, content, segmentsMax)) throw new PageMapTooLong();
    const copy = await beginMapCopy(write, content);
    await copySegments(payloads, write, { from: content, to: copy }, { first: 0 });
    await releasePages(write, content);
    return copy;
  }
  if ((await holdersOf(write, content)) === 1) return content;
  const next = write.revision(epoch);
  write.put(contentKey(pages), contentRecord.pack({ ...rest, head: next }));
  write.put(epochKey(pages, next), epochRecord.pack({ holders: 1 }));
  await releaseEpoch(write, content);
  return { pages, epoch: next };
}

/** Whether the map has a newer epoch: then no write goes to this one. */
export async function isSuperseded(read: Reader, { pages, epoch }: PageContent): Promise<boolean> {
  return (await readContent(read, pages)).head !== epoch;
}

/**
 * A new map for a copy of this one. The ranges copied into it share the bytes and keep their epochs, so that
 * differences from earlier snapshots can still be computed.
 */
export async function beginMapCopy(write: Writer, { pages, epoch }: PageContent): Promise<PageContent> {
  const { origins = [] } = await readContent(write, pages);
  return putEmptyPages(write, [...origins, { pages, epoch }]);
}

/**
 * Copies segments from `first` on, up to `rangesMax` ranges. Returns the next segment, or undefined at the
 * end.
 */
export async function copySegments(
  payloads: Payloads,
  write: Writer,
  { from, to }: { readonly from: PageContent; readonly to: PageContent },
  { first, rangesMax }: { readonly first: number; readonly rangesMax?: number },
): Promise<number | undefined> {
  const start = first * segmentBytes;
  let count = 0;
  for await (const { segment, ranges } of segmentsIn(write, from, {
    start,
    length: BLOB_LIMITS.pageBlobBytesMax - start,
  })) {
    if (rangesMax !== undefined && count >= rangesMax) return segment;
    await payloads.share(
      write,
      ranges.map(({ slice }) => slice),
    );
    write.put(segmentKey(to.pages, segment, to.epoch), segmentRecord.pack(ranges));
    count += Math.max(1, ranges.length);
  }
  return undefined;
}

async function isLongerThan(read: Reader, { pages }: PageContent, segmentsMax: number): Promise<boolean> {
  if (segmentsMax === Number.POSITIVE_INFINITY) return false;
  return (await read.take(segmentsOf(pages), segmentsMax + 1)).length > segmentsMax;
}

/** Whether only writes lie between the earlier content and the later one. */
export async function isDescendant(read: Reader, later: PageContent, earlier: PageContent): Promise<boolean> {
  if (later.pages === earlier.pages) return later.epoch >= earlier.epoch;
  const { origins = [] } = await readContent(read, later.pages);
  return origins.some(({ pages, epoch }) => pages === earlier.pages && epoch >= earlier.epoch);
}

export interface SegmentView {
  readonly segment: number;
  /** The epoch of the record: that of the content, or an older one. */
  readonly epoch: bigint;
  readonly ranges: PageRangeEntry[];
  /** What records between this one and an earlier epoch held; unsorted, with overlaps. */
  readonly former: PageRangeEntry[];
}

/**
 * The segments that the epoch of a content sees, in order, including empty ones. With `since`, each has what
 * its records after that epoch held before.
 */
export async function* segmentsIn(
  read: Reader,
  { pages, epoch }: PageContent,
  bounds: PageSpan = { start: 0, length: BLOB_LIMITS.pageBlobBytesMax },
  since = epoch,
): AsyncGenerator<SegmentView> {
  const range = segmentsOf(pages, segmentAt(bounds.start), segmentAt(bounds.start + bounds.length - 1) + 1);
  let last: StoredSegment | undefined;
  for await (const { key, value } of read.range(range)) {
    const at = segmentOfKey(key);
    if (last !== undefined && last.segment !== at.segment) {
      yield viewOf(last);
      last = undefined;
    }
    if (at.epoch > epoch) continue;
    const former = last !== undefined && last.epoch > since ? [...last.former, last.value] : [];
    last = { ...at, value, former };
  }
  if (last !== undefined) yield viewOf(last);
}

interface StoredSegment {
  readonly segment: number;
  readonly epoch: bigint;
  readonly value: Buffer;
  readonly former: readonly Buffer[];
}

function viewOf({ segment, epoch, value, former }: StoredSegment): SegmentView {
  const ranges = segmentRecord.unpack(value);
  return { segment, epoch, ranges, former: former.flatMap((record) => segmentRecord.unpack(record)) };
}

async function segmentOf(read: Reader, { pages, epoch }: PageContent, segment: number): Promise<SegmentView> {
  const range = epochsOfSegment(pages, segment, epoch);
  const [last] = await read.take({ from: range.from, to: range.to, reverse: true }, 1);
  if (last === undefined) return { segment, epoch, ranges: [], former: [] };
  return viewOf({ ...segmentOfKey(last.key), value: last.value, former: [] });
}

/** Enters newly committed slices into the map. Each range lies in one segment. */
export async function putPages(
  payloads: Payloads,
  write: Writer,
  content: PageContent,
  written: readonly (Omit<PageRangeEntry, "epoch"> & { readonly segment: number })[],
): Promise<void> {
  for (const { segment, start, length, slice, from } of written) {
    const fresh = { start, length, epoch: content.epoch, slice, from };
    if (await putWholePages(payloads, write, content, segment, fresh)) continue;
    const before = await segmentOf(write, content, segment);
    await putSegment(payloads, write, content, before, { start, length }, [fresh]);
  }
}

/**
 * The fast path for the usual write, which overlaps no range of its segment, or covers whole ranges that use
 * their whole slices. Nothing is cut or wasted, so the other ranges need not be decoded. Returns false for
 * other writes.
 */
async function putWholePages(
  payloads: Payloads,
  write: Writer,
  { pages, epoch }: PageContent,
  segment: number,
  fresh: PageRangeEntry,
): Promise<boolean> {
  const key = segmentKey(pages, segment, epoch);
  const stored = await write.get(key);
  if (stored === undefined || fresh.length !== fresh.slice.length) return false;
  const before = segmentRecord.renew(stored);
  const count = segmentRecord.countOf(before);
  const first = segmentRecord.firstAfter(before, fresh.start);
  const covered: StoredSlice[] = [];
  let end = first;
  for (; end < count; end++) {
    const range = segmentRecord.rangeAt(before, end);
    if (range.start >= fresh.start + fresh.length) break;
    const isCovered = range.start >= fresh.start && range.start + range.length <= fresh.start + fresh.length;
    if (!isCovered || range.length !== range.slice.length) return false;
    covered.push(range.slice);
  }
  if (covered.length > 0) await payloads.drop(write, covered);
  write.put(key, segmentRecord.replaced(before, first, end, fresh));
  if (crossesRangesMax(count, count + 1 - covered.length))
    putFragmented(write, { content: pages, segment, epoch });
  return true;
}

function putFragmented(write: Writer, segment: FragmentedSegment): void {
  write.put(fragmentedSegmentKey(write.revision()), fragmentedSegmentRecord.pack(segment));
}

/** Clears pages. It changes only segments with ranges, however long the span is. */
export async function clearPages(
  payloads: Payloads,
  write: Writer,
  content: PageContent,
  span: PageSpan,
): Promise<void> {
  if (span.length === 0) return;
  const segments: SegmentView[] = [];
  for await (const segment of segmentsIn(write, content, span)) {
    if (segment.ranges.length > 0) segments.push(segment);
  }
  for (const segment of segments) await putSegment(payloads, write, content, segment, span, []);
}

async function putSegment(
  payloads: Payloads,
  write: Writer,
  { pages, epoch }: PageContent,
  before: SegmentView,
  span: PageSpan,
  fresh: readonly PageRangeEntry[],
): Promise<void> {
  const isSameEpoch = before.epoch === epoch;
  const after = spliceRanges(before.ranges, span, fresh);
  // The fresh ranges already have their first reference. A record of a new epoch needs a reference to each
  // slice.
  const referenced = [...(isSameEpoch ? before.ranges : []), ...fresh];
  const { shared, dropped } = referenceChanges(referenced, after);
  if (shared.length > 0) await payloads.share(write, shared);
  if (dropped.length > 0) await payloads.drop(write, dropped);
  write.put(segmentKey(pages, before.segment, epoch), segmentRecord.pack(after));
  if (isFragmented(before.ranges, after)) {
    putFragmented(write, { content: pages, segment: before.segment, epoch });
  }
}
