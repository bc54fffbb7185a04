import { Refusal } from "../../base/refusals.ts";
import { type Revision, timestampOf } from "../../base/revision.ts";
import { type Conditions, checkSingleRead } from "../../concurrency/conditions.ts";
import { versionKey } from "../../store/keys/blob.ts";
import type { Reader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { BlobService } from "./blob-service.ts";
import { checkReadLease, readState, type Selector, type State } from "./blobs.ts";
import { throwIf } from "./containers.ts";
import type { BlobRef } from "./names.ts";
import { hasGrownFrom, type PageContent, type SeenSegment, segmentsIn } from "./page-content.ts";
import { clip, joinSpans, type PageSpan, subtractSpans } from "./page-map.ts";

export interface GetPageRanges {
  readonly ref: BlobRef;
  readonly selector: Selector;
  readonly conditions: Conditions;
  readonly leaseId: string | undefined;
  /** Only what lies in it. */
  readonly within: PageSpan | undefined;
  /** Where the page of the listing begins. */
  readonly from: number;
  readonly maxResults: number;
  /** Only what has changed since this snapshot. */
  readonly previous: Revision | undefined;
}

export interface ListedRange extends PageSpan {
  readonly isCleared: boolean;
}

export interface PageRanges {
  readonly record: BlobRecord;
  readonly ranges: readonly ListedRange[];
  readonly next: number | undefined;
}

/** Get Page Ranges: pages that were written, or what became of pages since a snapshot. In order, neighbours joined. */
export async function getPageRanges(blobs: BlobService, request: GetPageRanges): Promise<PageRanges> {
  const { ref, selector } = request;
  return blobs.parts.store.read(async (read) => {
    const state = await readState(read, ref, selector);
    const { record } = state;
    checkReadLease(read, state, request.leaseId);
    throwIf(checkSingleRead(request.conditions, record));
    const content = pagesOf(record);
    const whole = { start: 0, length: record.length };
    const within = clip(request.within ?? whole, whole);
    if (within === undefined) {
      if (request.within !== undefined && request.within.start > 0) throw new Refusal("InvalidPageRange");
      return { record, ranges: [], next: undefined };
    }
    const end = within.start + within.length;
    const start = Math.max(within.start, request.from);
    if (start >= end) return { record, ranges: [], next: undefined };
    const bounds = { start, length: end - start };
    const found =
      request.previous === undefined
        ? writtenIn(read, content, bounds)
        : changedIn(read, content, await previousOf(read, ref, state, request), bounds);
    return { record, ...(await firstOf(found, bounds, request.maxResults)) };
  });
}

function pagesOf({ kind, content, tier }: BlobRecord): PageContent {
  if (kind !== "page" || !("pages" in content)) throw new Refusal("InvalidBlobType");
  if (tier === "Archive") throw new Refusal("BlobArchived");
  return content;
}

/** The snapshot a difference starts from: of the same blob, of the same life of it, and older. */
async function previousOf(
  read: Reader,
  ref: BlobRef,
  { container, record }: State,
  { selector, previous }: GetPageRanges,
): Promise<PageContent> {
  const newest = selector.snapshot;
  if (newest !== undefined && previous! > newest) throw new Refusal("PreviousSnapshotCannotBeNewer");
  const stored = await read.get(versionKey(container.id, ref.blob, previous!));
  const before = stored && blobRecord.unpack(stored);
  if (before?.stateKind !== "snapshot" || before.deleted !== undefined) {
    throw new Refusal("PreviousSnapshotNotFound", {
      elements: { PreviousSnapshot: timestampOf(previous!) },
    });
  }
  if (before.kind !== "page") throw new Refusal("InvalidBlobType");
  const [old, now] = [pagesOf(before), pagesOf(record)];
  if (!(await hasGrownFrom(read, now, old))) throw new Refusal("BlobOverwritten");
  return old;
}

async function* writtenIn(read: Reader, content: PageContent, bounds: PageSpan): AsyncGenerator<ListedRange> {
  for await (const { ranges } of segmentsIn(read, content, bounds)) {
    for (const { start, length } of joinSpans(ranges)) yield { start, length, isCleared: false };
  }
}

/**
 * What changed between two epochs of one line. A segment that has no record between them has not been touched;
 * in the others, ranges written since are changed, and what was there and is in no range any more was cleared.
 */
async function* changedIn(
  read: Reader,
  now: PageContent,
  old: PageContent,
  bounds: PageSpan,
): AsyncGenerator<ListedRange> {
  const before = segmentsIn(read, old, bounds);
  let former = await before.next();
  for await (const seen of segmentsIn(read, now, bounds)) {
    while (!former.done && former.value.segment < seen.segment) former = await before.next();
    const then = !former.done && former.value.segment === seen.segment ? former.value : undefined;
    if (now.pages === old.pages && then?.epoch === seen.epoch) continue;
    yield* differenceOf(then, seen, old.epoch);
  }
}

function differenceOf(then: SeenSegment | undefined, now: SeenSegment, since: bigint): ListedRange[] {
  const written = joinSpans(now.ranges.filter(({ epoch }) => epoch > since));
  const cleared = subtractSpans(joinSpans(then?.ranges ?? []), joinSpans(now.ranges));
  return [
    ...written.map((span) => ({ ...span, isCleared: false })),
    ...cleared.map((span) => ({ ...span, isCleared: true })),
  ].sort((one, other) => one.start - other.start);
}

/** Neighbours of the same kind joined across segments, cut to the bounds, and no more than asked for. */
async function firstOf(
  found: AsyncIterable<ListedRange>,
  bounds: PageSpan,
  maxResults: number,
): Promise<{ readonly ranges: ListedRange[]; readonly next: number | undefined }> {
  const ranges: ListedRange[] = [];
  for await (const range of found) {
    const span = clip(range, bounds);
    if (span === undefined) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last.isCleared === range.isCleared && last.start + last.length === span.start) {
      ranges[ranges.length - 1] = { ...last, length: last.length + span.length };
    } else if (ranges.length >= maxResults) return { ranges, next: span.start };
    else ranges.push({ ...span, isCleared: range.isCleared });
  }
  return { ranges, next: undefined };
}
