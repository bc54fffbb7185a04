import { Refusal } from "../../base/refusals.ts";
import type { RangeRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { type GetFile, openForRead } from "./get-file.ts";
import { findInode, type Inode, pathOf } from "./inodes.ts";
import { foldName } from "./names.ts";
import { isCleared, lengthOf } from "./range-record.ts";
import { rangesIn } from "./read-content.ts";
import { readSnapshot } from "./shares.ts";
import { SnapshotView, type View } from "./versions.ts";

/** From the first byte to the last, both included. */
export interface ByteSpan {
  readonly from: number;
  readonly to: number;
}

export interface ListRanges extends GetFile {
  /** List only what changed since this snapshot. */
  readonly since?: bigint | undefined;
  /** Compare also with a file that had another path in the snapshot. */
  readonly followsRenames?: boolean;
  /** The most spans to list, written and cleared ones together. */
  readonly maxResults?: number | undefined;
}

interface RangesPage {
  readonly ranges: readonly ByteSpan[];
  readonly cleared: readonly ByteSpan[];
  /** Where the next page begins. */
  readonly next?: number | undefined;
}

export type ListedRanges = RangesPage & { readonly inode: Inode };

export function listRanges(files: FileService, request: ListRanges): Promise<ListedRanges> {
  return files.read(async (read, admissions) => {
    const { share, view, inode } = await openForRead(read, admissions, request, "read");
    const part = request.part(inode.record.size);
    const ref = { share: share.id, content: inode.record.content, ...part };
    if (request.since === undefined) {
      const spans = new Spans();
      const page = new Page([spans], request.maxResults);
      for await (const { offset, record } of rangesIn(view, ref)) {
        spans.add(offset, offset + lengthOf(record));
        if (page.isFull()) break;
      }
      return { inode, ranges: spans.list, cleared: [], next: page.next };
    }
    const { epoch } = await readSnapshot(read, share.id, request.since);
    const snapshot = new SnapshotView(read, epoch);
    const before = await findInode(snapshot, share.id, inode.id);
    if (before === undefined) throw new Refusal("FileGenerationMismatch");
    if (request.followsRenames !== true && !(await isSamePath(share.id, inode.id, view, snapshot))) {
      throw new Refusal("PreviousSnapshotNotFound", {
        text: "The file had another path when the previous snapshot was taken.",
      });
    }
    const former = { ...ref, content: before.content, to: Math.min(ref.to, before.size) };
    const contents = { live: rangesIn(view, ref, "marks"), snapshot: rangesIn(snapshot, former, "marks") };
    return { inode, ...(await compare(contents, part, request.maxResults)) };
  });
}

/** Names compare without regard to case. */
async function isSamePath(share: bigint, id: bigint, live: View, snapshot: View): Promise<boolean> {
  const paths = [await pathOf(live, share, id), await pathOf(snapshot, share, id)];
  const [now, former] = paths.map((path) => path.map(foldName).join("/"));
  return now === former;
}

/** Spans in order; those that touch or overlap are merged. */
class Spans {
  readonly list: { from: number; to: number }[] = [];

  /** `end` is exclusive. */
  add(from: number, end: number): void {
    if (from >= end) return;
    const last = this.list.at(-1);
    if (last !== undefined && last.to + 1 >= from) last.to = Math.max(last.to, end - 1);
    else this.list.push({ from, to: end - 1 });
  }

  /** Takes away what is at `from` and behind it. */
  cutAt(from: number): void {
    const last = this.list.at(-1);
    if (last === undefined || !this.reaches(from)) return;
    if (last.from >= from) this.list.pop();
    else last.to = from - 1;
  }

  reaches(offset: number): boolean {
    return (this.list.at(-1)?.to ?? -1) >= offset;
  }
}

/** Spans are added in file order, so the first one beyond the limit is where the next page begins. */
class Page {
  next: number | undefined;
  readonly #kinds: readonly Spans[];
  readonly #maxResults: number;

  constructor(kinds: readonly Spans[], maxResults = Number.POSITIVE_INFINITY) {
    this.#kinds = kinds;
    this.#maxResults = maxResults;
  }

  isFull(): boolean {
    let count = 0;
    for (const { list } of this.#kinds) count += list.length;
    for (; count > this.#maxResults; count--) {
      const [last] = this.#kinds.toSorted(
        (a, b) => (b.list.at(-1)?.from ?? -1) - (a.list.at(-1)?.from ?? -1),
      );
      this.next = last!.list.pop()!.from;
    }
    return this.next !== undefined;
  }
}

interface Part {
  readonly from: number;
  readonly end: number;
  readonly record: RangeRecord;
}

type Ranges = ReturnType<typeof rangesIn>;

async function nextPart(source: Ranges): Promise<Part | undefined> {
  const step = await source.next();
  if (step.done) return undefined;
  const { offset, record } = step.value;
  return { from: offset, end: offset + lengthOf(record), record };
}

const UNIT = 512;
const unitOf = (offset: number): number => Math.floor(offset / UNIT) * UNIT;
const unitEnd = (offset: number): number => Math.ceil(offset / UNIT) * UNIT;

/**
 * Compares both contents in file order, in units of 512 bytes: `ranges` were written since and hold bytes,
 * `cleared` hold none any more.
 */
async function compare(
  { live, snapshot }: { readonly live: Ranges; readonly snapshot: Ranges },
  { from, to }: { readonly from: number; readonly to: number },
  maxResults: number | undefined,
): Promise<RangesPage> {
  const ranges = new Spans();
  const cleared = new Spans();
  const page = new Page([ranges, cleared], maxResults);
  const add = (spans: Spans, start: number, end: number): void =>
    spans.add(Math.max(start, from), Math.min(end, to));
  const changed = (start: number, end: number): void => {
    cleared.cutAt(unitOf(start));
    add(ranges, unitOf(start), unitEnd(end));
  };
  let liveEnd = 0;
  let a = await nextPart(live);
  let b = await nextPart(snapshot);
  let at = from;
  while (a !== undefined || b !== undefined) {
    const aHere = a !== undefined && a.from <= at;
    const bHere = b !== undefined && b.from <= at;
    const isWritten = aHere && !isCleared(a!.record);
    const wasWritten = bHere && !isCleared(b!.record);
    const wasMarked = bHere && !wasWritten;
    const edges = [a, b].flatMap((part) => (part === undefined ? [] : [part.from, part.end]));
    const end = Math.min(...edges.filter((edge) => edge > at));
    // A unit at either edge of a cleared range that still holds bytes is changed, not cleared.
    if (isWritten && cleared.reaches(unitOf(at))) changed(at, at + 1);
    if (isWritten && wasWritten) compareBytes(a!, b!, at, end, changed);
    else if (isWritten) changed(at, end);
    else if (wasWritten || (aHere && !wasMarked)) {
      const isCut = liveEnd > unitOf(at);
      if (isCut) changed(at, at + 1);
      add(cleared, isCut ? unitEnd(at) : unitOf(at), unitEnd(end));
    }
    if (isWritten) liveEnd = end;
    if (page.isFull()) break;
    at = end;
    if (a !== undefined && a.end <= at) a = await nextPart(live);
    if (b !== undefined && b.end <= at) b = await nextPart(snapshot);
  }
  return { ranges: ranges.list, cleared: cleared.list, next: page.next };
}

/** Payload in extents is the same when it is at the same place. Inline bytes are compared in units of 512. */
function compareBytes(
  a: Part,
  b: Part,
  from: number,
  end: number,
  changed: (start: number, end: number) => void,
): void {
  if ("inline" in a.record && "inline" in b.record) {
    for (let at = from; at < end; ) {
      const next = Math.min(end, unitOf(at) + UNIT);
      const mine = a.record.inline.subarray(at - a.from, next - a.from);
      if (!mine.equals(b.record.inline.subarray(at - b.from, next - b.from))) changed(at, next);
      at = next;
    }
    return;
  }
  if (placeAt(a, from) !== placeAt(b, from) || placeAt(a, end - 1) !== placeAt(b, end - 1)) {
    changed(from, end);
  }
}

/** Where in the extents a byte lies. */
function placeAt({ from, record }: Part, offset: number): string {
  if ("inline" in record) return "inline";
  let at = record.skip + offset - from;
  for (const slice of record.slices) {
    if (at < slice.length) return `${slice.extent} ${slice.offset} ${at}`;
    at -= slice.length;
  }
  return "beyond";
}
