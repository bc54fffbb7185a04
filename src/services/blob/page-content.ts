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
import { fragmentsStep, isFragmented, type PageSpan, referenceChanges, spliceRanges } from "./page-map.ts";
import { discard } from "./retention.ts";

/**
 * The map of a page blob: which pages were written, and where their bytes are. It is cut into segments, each a
 * record with its ranges, so a write touches only the segments it falls into. Pages in no range are zeros.
 *
 * A snapshot costs nothing when it is taken: it holds the present epoch, and the blob goes on in a new one with
 * its next write. A segment's record is kept for each epoch in which it changed; a holder of epoch 7 sees the
 * newest record up to 7:
 *
 *   ("br", content, segment 3, epoch 5)   seen by holders of epochs 5 to 8
 *   ("br", content, segment 3, epoch 9)   seen from 9 on
 *
 * Epochs form one line. Whoever wants to write to another one than the newest (a copy of a snapshot, say) gets
 * a map of its own.
 */
export interface PageContent {
  readonly pages: bigint;
  readonly epoch: bigint;
}

const { segmentBytes } = BLOB_LIMITS;
export const segmentAt = (offset: number): number => Math.floor(offset / segmentBytes);

/** A map of nothing, with its first reference. */
export function putEmptyPages(write: Writer, origins: readonly PageContent[] = []): PageContent {
  const id = write.revision();
  const past = origins.length === 0 ? {} : { origins };
  write.put(contentKey(id), contentRecord.pack({ refs: 1, head: id, ...past }));
  write.put(epochKey(id, id), epochRecord.pack({ holders: 1 }));
  return { pages: id, epoch: id };
}

export async function sharePages(write: Writer, { pages, epoch }: PageContent): Promise<void> {
  const { refs, ...rest } = await readContent(write, pages);
  write.put(contentKey(pages), contentRecord.pack({ ...rest, refs: refs + 1 }));
  const holders = await holdersOf(write, { pages, epoch });
  write.put(epochKey(pages, epoch), epochRecord.pack({ holders: holders + 1 }));
}

/** With its last holder an epoch can go; with the last of all, everything. */
export async function releasePages(write: Writer, { pages, epoch }: PageContent): Promise<void> {
  const { refs, ...rest } = await readContent(write, pages);
  if (refs === 1) {
    write.delete(contentKey(pages));
    discard(write, { what: "content", id: pages, form: "pages" });
    return;
  }
  write.put(contentKey(pages), contentRecord.pack({ ...rest, refs: refs - 1 }));
  await leaveEpoch(write, { pages, epoch });
}

async function leaveEpoch(write: Writer, { pages, epoch }: PageContent): Promise<void> {
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
  assert(stored !== undefined, () => `content ${id} is named and not counted`);
  return contentRecord.unpack(stored);
}

async function holdersOf(read: Reader, { pages, epoch }: PageContent): Promise<number> {
  const stored = await read.get(epochKey(pages, epoch));
  assert(stored !== undefined, () => `epoch ${epoch} of content ${pages} is named and not counted`);
  return epochRecord.unpack(stored).holders;
}

/** A map that would have to be copied and is too long for one transaction; see own-pages.ts. */
export class LongMap extends Error {
  override readonly name = "LongMap";
}

/** A content nobody else looks at, with the same pages: for writing. Throws `LongMap`. */
export async function writablePages(
  payloads: Payloads,
  write: Writer,
  content: PageContent,
  segmentsMax: number,
): Promise<PageContent> {
  const { pages, epoch } = content;
  const { head, ...rest } = await readContent(write, pages);
  const isAlone = (await holdersOf(write, content)) === 1;
  if (head === epoch && isAlone) return content;
  if (head !== epoch) {
    if (await isLongerThan(write, content, segmentsMax)) throw new LongMap();
    return copyPages(payloads, write, content);
  }
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
async function copyPages(payloads: Payloads, write: Writer, content: PageContent): Promise<PageContent> {
  const copy = await beginCopy(write, content);
  await copySegments(payloads, write, { from: content, to: copy }, { first: 0 });
  await releasePages(write, content);
  return copy;
}

/** Whether the line has gone on without this epoch: from then on nobody writes to it. */
export async function isLeftBehind(read: Reader, { pages, epoch }: PageContent): Promise<boolean> {
  return (await readContent(read, pages)).head !== epoch;
}

export async function beginCopy(write: Writer, { pages, epoch }: PageContent): Promise<PageContent> {
  const { origins = [] } = await readContent(write, pages);
  return putEmptyPages(write, [...origins, { pages, epoch }]);
}

/** Copies segments from the first on, up to a number of ranges; the segment to go on with, or undefined at the end. */
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

/** Whether the later content has come out of the earlier one by writing alone. */
export async function hasGrownFrom(read: Reader, later: PageContent, earlier: PageContent): Promise<boolean> {
  if (later.pages === earlier.pages) return later.epoch >= earlier.epoch;
  const { origins = [] } = await readContent(read, later.pages);
  return origins.some(({ pages, epoch }) => pages === earlier.pages && epoch >= earlier.epoch);
}

export interface SeenSegment {
  readonly segment: number;
  /** The epoch of the record: the one asked for, or an older one. */
  readonly epoch: bigint;
  readonly ranges: PageRangeEntry[];
}

/** The segments of a content as its epoch sees them, in order, those that hold nothing included. */
export async function* segmentsIn(
  read: Reader,
  { pages, epoch }: PageContent,
  bounds: PageSpan = { start: 0, length: BLOB_LIMITS.pageBlobBytesMax },
): AsyncGenerator<SeenSegment> {
  const range = segmentsOf(pages, segmentAt(bounds.start), segmentAt(bounds.start + bounds.length - 1) + 1);
  let last: { readonly segment: number; readonly epoch: bigint; readonly value: Buffer } | undefined;
  for await (const { key, value } of read.range(range)) {
    const at = segmentOfKey(key);
    if (last !== undefined && last.segment !== at.segment) {
      yield { segment: last.segment, epoch: last.epoch, ranges: segmentRecord.unpack(last.value) };
      last = undefined;
    }
    if (at.epoch <= epoch) last = { ...at, value };
  }
  if (last !== undefined) {
    yield { segment: last.segment, epoch: last.epoch, ranges: segmentRecord.unpack(last.value) };
  }
}

async function segmentOf(read: Reader, { pages, epoch }: PageContent, segment: number): Promise<SeenSegment> {
  const range = epochsOfSegment(pages, segment, epoch);
  const [last] = await read.take({ from: range.from, to: range.to, reverse: true }, 1);
  if (last === undefined) return { segment, epoch, ranges: [] };
  return { ...segmentOfKey(last.key), ranges: segmentRecord.unpack(last.value) };
}

/** Writes slices just appended (and kept) into the map. Each range lies in one segment. */
export async function putPages(
  payloads: Payloads,
  write: Writer,
  content: PageContent,
  written: readonly (Omit<PageRangeEntry, "epoch"> & { readonly segment: number })[],
): Promise<void> {
  for (const { segment, start, length, slice, from } of written) {
    const fresh = { start, length, epoch: content.epoch, slice, from };
    if (await putWholePages(payloads, write, content, segment, fresh)) continue;
    const seen = await segmentOf(write, content, segment);
    await putSegment(payloads, write, content, seen, { start, length }, [fresh]);
  }
}

/**
 * The usual write: it lies beside all ranges of its segment, or covers some that use their slices whole. Then nothing
 * is cut, no byte becomes waste, and the other ranges need not be taken out of their record. False: it is not so.
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
  if (fragmentsStep(count, count + 1 - covered.length))
    putFragmented(write, { content: pages, segment, epoch });
  return true;
}

function putFragmented(write: Writer, pieced: FragmentedSegment): void {
  write.put(fragmentedSegmentKey(write.revision()), fragmentedSegmentRecord.pack(pieced));
}

/** Clears pages: only segments that hold something are touched, however long the span. */
export async function clearPages(
  payloads: Payloads,
  write: Writer,
  content: PageContent,
  span: PageSpan,
): Promise<void> {
  if (span.length === 0) return;
  const touched: SeenSegment[] = [];
  for await (const seen of segmentsIn(write, content, span)) {
    if (seen.ranges.length > 0) touched.push(seen);
  }
  for (const seen of touched) await putSegment(payloads, write, content, seen, span, []);
}

async function putSegment(
  payloads: Payloads,
  write: Writer,
  { pages, epoch }: PageContent,
  seen: SeenSegment,
  span: PageSpan,
  fresh: readonly PageRangeEntry[],
): Promise<void> {
  const isOwn = seen.epoch === epoch;
  const after = spliceRanges(seen.ranges, span, fresh);
  // The fresh ones bring their first reference along; a record of a new epoch holds all of its own.
  const { shared, dropped } = referenceChanges([...(isOwn ? seen.ranges : []), ...fresh], after);
  if (shared.length > 0) await payloads.share(write, shared);
  if (dropped.length > 0) await payloads.drop(write, dropped);
  write.put(segmentKey(pages, seen.segment, epoch), segmentRecord.pack(after));
  if (isFragmented(seen.ranges, after)) {
    putFragmented(write, { content: pages, segment: seen.segment, epoch });
  }
}
