import { then } from "../../base/maybe-promise.ts";
import type { Revision } from "../../base/revision.ts";
import { allRangesOf, garbageKey, offsetOfRangeKey, rangeKey, rangesOf } from "../../store/keys/file.ts";
import type { MaybePromise, Writer } from "../../store/kv.ts";
import { garbageRecord, type RangeRecord, rangeRecord, type ShareRecord } from "../../store/records/file.ts";
import { type Content, contentLength } from "../payload/content.ts";
import type { Payloads, Slice } from "../payload/payloads.ts";
import { FILE_LIMITS } from "./limits.ts";
import { clearedRange, lengthOf, partOf, sliceChanges, slicesOf } from "./range-record.ts";
import { bodyOf, deleteVersioned, putVersioned } from "./versions.ts";

/**
 * The content of a file is a sparse map: one record for each written range, in the order of offsets, without
 * overlaps; bytes that were never written or were cleared have no record. A write trims the records it
 * overlaps and puts one record; it reads no others. Small inline neighbours join, so a file written in tiny
 * steps has few records.
 *
 * A change runs in the caller's transaction, so a reader sees each write whole or not at all.
 */
export interface RangeWriter {
  readonly write: Writer;
  readonly payloads: Payloads;
  readonly share: ShareRecord;
  /** The id of the content; a file that is overwritten gets a new one. */
  readonly content: bigint;
  /** The revision of this change. */
  readonly since: Revision;
}

interface Found {
  readonly offset: number;
  readonly end: number;
  readonly stored: Buffer;
  readonly record: RangeRecord;
}

/** Records that overlap or touch [from, to), in order. */
async function* findRanges(at: RangeWriter, from: number, to: number): AsyncGenerator<Found> {
  const before = from > 0 ? await lastRange(at, from, from) : undefined;
  if (before !== undefined && before.end >= from) yield before;
  const touched = rangesOf(at.share.id, at.content, from, to + 1);
  for await (const entry of at.write.range(touched)) yield unpackFound(entry);
}

/** The last record that starts before `to` and can reach `from`. */
async function lastRange(
  { write, share, content }: RangeWriter,
  from: number,
  to: number,
): Promise<Found | undefined> {
  const reach = Math.max(0, from - FILE_LIMITS.rangeBytesMax);
  const [last] = await write.take({ ...rangesOf(share.id, content, reach, to), reverse: true }, 1);
  return last && unpackFound(last);
}

function unpackFound({ key, value }: { readonly key: string; readonly value: Buffer }): Found {
  const record = rangeRecord.unpack(bodyOf(value));
  const offset = offsetOfRangeKey(key);
  return { offset, end: offset + lengthOf(record), stored: value, record };
}

/** Ingested content as a range. */
export function rangeOf(content: Content): RangeRecord {
  if ("inline" in content) return { inline: content.inline };
  return { slices: content.slices, skip: 0, length: contentLength(content) };
}

/** Puts bytes at an offset. The caller has committed `content`, unless it is inline. */
export function putBytes(at: RangeWriter, offset: number, content: Content): MaybePromise<void> {
  const record = rangeOf(content);
  const length = lengthOf(record);
  if (length === 0) return;
  const isDone = replaceSame(at, offset, record);
  // Databases rewrite pages all the time, so a rewrite in place makes no promise.
  return isDone === true ? undefined : putElse(at, offset, record, isDone);
}

async function putElse(
  at: RangeWriter,
  offset: number,
  record: RangeRecord,
  isDone: MaybePromise<boolean>,
): Promise<void> {
  if (await isDone) return;
  const to = offset + lengthOf(record);
  if (await isApart(at, offset, to, record)) putRecord(at, offset, record);
  else await replace(at, offset, to, record);
}

/** Makes a hole, which reads as zeros and uses no space. */
export async function clearBytes(at: RangeWriter, from: number, to: number): Promise<void> {
  if (from < to) await replace(at, from, to, undefined);
}

const CLEARED_UNIT = 512;

/**
 * Put Range with x-ms-write: clear. Frees whole units of 512 bytes and writes zeros at both edges. A clear of
 * more than `rangeBytesMax` leaves no mark, because it would need many.
 */
export async function clearRange(at: RangeWriter, from: number, to: number): Promise<void> {
  const first = Math.ceil(from / CLEARED_UNIT) * CLEARED_UNIT;
  const last = Math.floor(to / CLEARED_UNIT) * CLEARED_UNIT;
  if (first > last) return putBytes(at, from, { inline: Buffer.alloc(to - from) });
  await clearBytes(at, first, last);
  const isMarked = at.share.epoch !== undefined && first < last && last - first <= FILE_LIMITS.rangeBytesMax;
  if (isMarked) putRecord(at, first, clearedRange(last - first));
  await putBytes(at, from, { inline: Buffer.alloc(first - from) });
  await putBytes(at, last, { inline: Buffer.alloc(to - last) });
}

async function replace(
  at: RangeWriter,
  from: number,
  to: number,
  record: RangeRecord | undefined,
): Promise<void> {
  const before: RangeRecord[] = [];
  const after: RangeRecord[] = [];
  const puts = new Map<number, RangeRecord>();
  let written: Range | undefined = record === undefined ? undefined : { offset: from, record };
  // A clear may cover more records than fit into memory, so only their slices are collected.
  for await (const found of findRanges(at, from, to)) {
    const { offset, end, stored } = found;
    const isOverlapped = offset < to && end > from;
    const remaining = (isOverlapped ? remainders(found, from, to) : [found]).filter((range) => {
      const joined = written && join(written, range);
      written = joined ?? written;
      return joined === undefined;
    });
    // A neighbour that did not join stays as it is.
    if (!isOverlapped && remaining.length > 0) continue;
    const key = rangeKey(at.share.id, at.content, offset);
    const trimmed = remaining.find((range) => range.offset === offset);
    const packed = trimmed && rangeRecord.pack(trimmed.record, at.since);
    const outcome =
      packed === undefined
        ? deleteVersioned(at.write, at.share, key, stored)
        : putVersioned(at.write, at.share, { key, packed, stored });
    // A version that a snapshot sees keeps the references; otherwise they pass to the remaining ranges.
    if (outcome === "replaced" && !("inline" in found.record)) before.push(found.record);
    for (const range of remaining) {
      if (!("inline" in range.record)) after.push(range.record);
      if (range !== trimmed) puts.set(range.offset, range.record);
    }
  }
  if (written !== undefined) puts.set(written.offset, written.record);
  for (const [offset, put] of puts) putRecord(at, offset, put);
  const { shared, dropped } = sliceChanges(before, after);
  if (shared.length > 0) await at.payloads.share(at.write, shared);
  if (dropped.length > 0) await at.payloads.drop(at.write, dropped);
}

/** Rewrites a record of the same offset and length. Nothing else can overlap it, so this needs no search. */
function replaceSame(at: RangeWriter, offset: number, record: RangeRecord): MaybePromise<boolean> {
  const key = rangeKey(at.share.id, at.content, offset);
  const put = (stored: Buffer | undefined): MaybePromise<boolean> => {
    if (stored === undefined) return false;
    const former = rangeRecord.unpack(bodyOf(stored));
    if (lengthOf(former) !== lengthOf(record)) return false;
    const packed = rangeRecord.pack(record, at.since);
    const outcome = putVersioned(at.write, at.share, { key, packed, stored });
    const dropped = slicesOf(former);
    if (outcome === "kept" || dropped.length === 0) return true;
    return at.payloads.drop(at.write, dropped).then(() => true);
  };
  return then(at.write.get(key), put);
}

/** Whether a new record overlaps nothing and no neighbour could join it. Reads one record. */
async function isApart(at: RangeWriter, from: number, to: number, record: RangeRecord): Promise<boolean> {
  const joins = "inline" in record && record.inline.length < FILE_LIMITS.joinedBytesMax;
  const last = await lastRange(at, from, joins ? to + 1 : to);
  return last === undefined || (joins ? last.end < from : last.end <= from);
}

interface Range {
  readonly offset: number;
  readonly record: RangeRecord;
}

/** The parts of a record before and after [from, to). */
function remainders({ offset, end, record }: Found, from: number, to: number): Range[] {
  const ranges: Range[] = [];
  if (offset < from) ranges.push({ offset, record: partOf(record, 0, from - offset) });
  if (end > to) ranges.push({ offset: to, record: partOf(record, to - offset, end - to) });
  return ranges;
}

/** Two neighbours as one range, when both are inline and short enough together. */
function join(a: Range, b: Range): Range | undefined {
  if (!("inline" in a.record && "inline" in b.record)) return undefined;
  const length = a.record.inline.length + b.record.inline.length;
  if (length > FILE_LIMITS.joinedBytesMax) return undefined;
  const parts = [a.record.inline, b.record.inline];
  const isReversed = b.offset < a.offset;
  return {
    offset: isReversed ? b.offset : a.offset,
    record: { inline: Buffer.concat(isReversed ? parts.reverse() : parts, length) },
  };
}

/** Puts a record at an offset that has none. */
export function putRecord(at: RangeWriter, offset: number, record: RangeRecord): void {
  const key = rangeKey(at.share.id, at.content, offset);
  putVersioned(at.write, at.share, { key, packed: rangeRecord.pack(record, at.since) });
}

/** Queues content for the reclaimer. Only snapshots may still read it. */
export function discardContent(write: Writer, share: ShareRecord, content: bigint): void {
  const record = { what: "content", share: share.id, content, epoch: share.epoch ?? 0n } as const;
  write.put(garbageKey(write.revision()), garbageRecord.pack(record));
}

/**
 * Deletes short content at once, because a record for the reclaimer would cost as much; queues long content.
 */
export async function dropContent(
  { write, payloads, share }: Pick<RangeWriter, "write" | "payloads" | "share">,
  content: bigint,
): Promise<"dropped" | "left"> {
  const limit = FILE_LIMITS.rangesDroppedAtOnceMax + 1;
  const found = await write.take(allRangesOf(share.id, content), limit);
  if (found.length === limit) {
    discardContent(write, share, content);
    return "left";
  }
  const dropped: Slice[] = [];
  for (const { key, value } of found) {
    if (deleteVersioned(write, share, key, value) === "replaced")
      dropped.push(...slicesOf(rangeRecord.unpack(bodyOf(value))));
  }
  if (dropped.length > 0) await payloads.drop(write, dropped);
  return "dropped";
}
