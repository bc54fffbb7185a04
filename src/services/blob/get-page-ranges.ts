import { Refusal, throwIf } from "../../base/refusals.ts";
import { type Revision, timestampOf } from "../../base/revision.ts";
import { checkSingleRead } from "../../concurrency/conditions.ts";
import { versionKey } from "../../store/keys/blob.ts";
import type { Reader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { checkReadLease, type GuardedState, readState, type State } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { isDescendant, type PageContent, type SegmentView, segmentsIn } from "./page-content.ts";
import { clip, joinSpans, type PageSpan, subtractSpans } from "./page-map.ts";

export interface GetPageRanges extends GuardedState {
  /** The range of the request. */
  readonly within: PageSpan | undefined;
  /** Where this page of the listing begins. */
  readonly from: number;
  readonly maxResults: number;
  /** Lists only what has changed since this snapshot. */
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

/** Get Page Ranges: written pages, or what changed since a snapshot; in order, adjacent ranges joined. */
export async function getPageRanges(blobs: BlobContext, request: GetPageRanges): Promise<PageRanges> {
  const { ref, selector } = request;
  return blobs.store.read(async (read) => {
    const state = await readState(read, ref, selector);
    const { record } = state;
    checkReadLease(read, state, request.leaseId);
    throwIf(checkSingleRead(request.conditions, record));
    const content = pagesOf(record);
    const whole = { start: 0, length: record.length };
    const within = clip(request.within ?? whole, whole);
    if (within === undefined) {
      if (request.within !== undefined && request.within.start > 0) throw new Refusal("InvalidRange");
      return { record, ranges: [], next: undefined };
    }
    const end = within.start + within.length;
    const start = Math.max(within.start, request.from);
    if (start >= end) return { record, ranges: [], next: undefined };
    const bounds = { start, length: end - start };
    const found =
      request.previous === undefined
        ? writtenIn(read, content, bounds)
        : changedIn(read, content, await previousOf(read, state, request), bounds);
    return { record, ...(await firstOf(found, bounds, request.maxResults)) };
  });
}

function pagesOf({ kind, content, tier }: BlobRecord): PageContent {
  if (kind !== "page" || !("pages" in content)) throw new Refusal("InvalidBlobType");
  if (tier === "Archive") throw new Refusal("BlobArchived");
  return content;
}

/** The older snapshot that a difference starts from; the blob must not have been overwritten since. */
async function previousOf(
  read: Reader,
  { ref, container, record }: State,
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
  if (!(await isDescendant(read, now, old))) throw new Refusal("BlobOverwritten");
  return old;
}

async function* writtenIn(read: Reader, content: PageContent, bounds: PageSpan): AsyncGenerator<ListedRange> {
  for await (const { ranges } of segmentsIn(read, content, bounds)) {
    for (const { start, length } of joinSpans(ranges)) yield { start, length, isCleared: false };
  }
}

/**
 * The changes between two epochs. A segment without a record between them is unchanged. In the others, ranges
 * written since have changed. Pages in no range now were cleared if they were in one at the earlier epoch, or
 * at a snapshot in between.
 */
async function* changedIn(
  read: Reader,
  now: PageContent,
  old: PageContent,
  bounds: PageSpan,
): AsyncGenerator<ListedRange> {
  const before = segmentsIn(read, old, bounds);
  let former = await before.next();
  for await (const current of segmentsIn(read, now, bounds, old.epoch)) {
    while (!former.done && former.value.segment < current.segment) former = await before.next();
    const then = !former.done && former.value.segment === current.segment ? former.value : undefined;
    if (now.pages === old.pages && then?.epoch === current.epoch) continue;
    yield* changesOf(then, current, old.epoch);
  }
}

function changesOf(then: SegmentView | undefined, now: SegmentView, since: bigint): ListedRange[] {
  const written = joinSpans(now.ranges.filter(({ epoch }) => epoch > since));
  const former = [...(then?.ranges ?? []), ...now.former].sort((a, b) => a.start - b.start);
  const cleared = subtractSpans(joinSpans(former), joinSpans(now.ranges));
  return [
    ...written.map((span) => ({ ...span, isCleared: false })),
    ...cleared.map((span) => ({ ...span, isCleared: true })),
  ].sort((a, b) => a.start - b.start);
}

/**
 * Joins adjacent ranges of the same kind across segments, cuts them to the bounds, and stops at `maxResults`.
 */
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
