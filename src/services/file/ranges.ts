import type { Revision } from "../../base/revision.ts";
import { allRangesOf, garbageKey, offsetOfRangeKey, rangeKey, rangesOf } from "../../store/keys/file.ts";
import type { MaybePromise, Writer } from "../../store/kv.ts";
import { garbageRecord, type RangeRecord, rangeRecord, type ShareRecord } from "../../store/records/file.ts";
import { type Content, contentLength } from "../payload/content.ts";
import type { Payloads, Slice } from "../payload/payloads.ts";
import { FILE_LIMITS } from "./limits.ts";
import { lengthOf, partOf, sliceChanges, slicesOf } from "./range-record.ts";
import { volumeOf } from "./shares.ts";
import { bodyOf, deleteVersioned, putVersioned } from "./versions.ts";

/**
 * The content of a file is a sparse map: a record for each written range, ordered by offset, none overlapping
 * another, and nothing for what was never written or was cleared. A write cuts what it overlaps and puts one
 * record; what it does not touch it does not read. Neighbours that lie in their records join while they are small,
 * so that a file written in tiny steps is not a record for each step.
 *
 * All of it happens in the caller's transaction, so a reader sees each write whole or not at all.
 */
export interface RangeWriter {
  readonly write: Writer;
  readonly payloads: Payloads;
  readonly share: ShareRecord;
  /** The id of the content, of one file at one time. */
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
async function* findRanges(
  { write, share, content }: RangeWriter,
  from: number,
  to: number,
): AsyncGenerator<Found> {
  const reach = Math.max(0, from - FILE_LIMITS.rangeBytesMax);
  if (from > 0) {
    const before = rangesOf(share.id, content, reach, from);
    const [last] = await write.take({ from: before.from, to: before.to, reverse: true }, 1);
    const found = last && unpackFound(last);
    if (found !== undefined && found.end >= from) yield found;
  }
  for await (const entry of write.range(rangesOf(share.id, content, from, to + 1))) yield unpackFound(entry);
}

function unpackFound({ key, value }: { readonly key: string; readonly value: Buffer }): Found {
  const record = rangeRecord.unpack(bodyOf(value));
  const offset = offsetOfRangeKey(key);
  return { offset, end: offset + lengthOf(record), stored: value, record };
}

/** Content that was taken in, as a range. */
export function rangeOf(content: Content): RangeRecord {
  if ("inline" in content) return { inline: content.inline };
  return { slices: content.slices, skip: 0, length: contentLength(content) };
}

/** Puts bytes at an offset. `content` has been kept by the caller, or lies in the record. */
export function putBytes(at: RangeWriter, offset: number, content: Content): MaybePromise<void> {
  const record = rangeOf(content);
  const length = lengthOf(record);
  if (length === 0) return;
  const isDone = replaceSame(at, offset, record);
  // A page that is written again needs no promise: this is what databases do all day.
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

/** Makes a hole: what was written there reads as zero and takes no space. */
export async function clearBytes(at: RangeWriter, from: number, to: number): Promise<void> {
  if (from < to) await replace(at, from, to, undefined);
}

const CLEARED_UNIT = 512;

/**
 * Put Range with x-ms-write: clear. Whole units of 512 bytes are freed; what remains at the two edges is
 * overwritten with zeros.
 */
export async function clearRange(at: RangeWriter, from: number, to: number): Promise<void> {
  const first = Math.ceil(from / CLEARED_UNIT) * CLEARED_UNIT;
  const last = Math.floor(to / CLEARED_UNIT) * CLEARED_UNIT;
  if (first > last) {
    await putBytes(at, from, { inline: Buffer.alloc(to - from) });
    return;
  }
  await clearBytes(at, first, last);
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
  let whole: Whole | undefined = record === undefined ? undefined : { from, record };
  const volume = volumeOf(at.share);
  // One by one, and of each no more than its slices: what is cleared may be much more than fits into memory.
  for await (const one of findRanges(at, from, to)) {
    const { offset, end, stored } = one;
    const isOverlapped = offset < to && end > from;
    const pieces = isOverlapped ? remainders(one, from, to) : [one];
    const left = pieces.filter((piece) => {
      const joined = whole === undefined ? undefined : join(whole, piece);
      if (joined !== undefined) whole = joined;
      return joined === undefined;
    });
    // A neighbour that stays as it is, is not touched.
    if (!isOverlapped && left.length > 0) continue;
    const key = rangeKey(at.share.id, at.content, offset);
    const stays = left.find((piece) => piece.offset === offset);
    const outcome =
      stays === undefined
        ? deleteVersioned(at.write, volume, key, stored)
        : putVersioned(at.write, volume, {
            key,
            packed: rangeRecord.pack(stays.record, at.since),
            stored,
          });
    // A version that a snapshot sees keeps the references; otherwise they pass to what is left.
    if (outcome === "replaced" && !("inline" in one.record)) before.push(one.record);
    for (const piece of left) {
      if (!("inline" in piece.record)) after.push(piece.record);
      if (piece !== stays) puts.set(piece.offset, piece.record);
    }
  }
  if (whole !== undefined) puts.set(whole.from, whole.record);
  for (const [offset, put] of puts) {
    const key = rangeKey(at.share.id, at.content, offset);
    putVersioned(at.write, volume, { key, packed: rangeRecord.pack(put, at.since) });
  }
  const { shared, dropped } = sliceChanges(before, after);
  if (shared.length > 0) await at.payloads.share(at.write, shared);
  if (dropped.length > 0) await at.payloads.drop(at.write, dropped);
}

/** A page that is written again where it was: nothing else can lie there, so nothing has to be searched. */
function replaceSame(at: RangeWriter, offset: number, record: RangeRecord): MaybePromise<boolean> {
  const key = rangeKey(at.share.id, at.content, offset);
  const put = (stored: Buffer | undefined): MaybePromise<boolean> => {
    if (stored === undefined) return false;
    const former = rangeRecord.unpack(bodyOf(stored));
    if (lengthOf(former) !== lengthOf(record)) return false;
    const packed = rangeRecord.pack(record, at.since);
    const outcome = putVersioned(at.write, volumeOf(at.share), { key, packed, stored });
    const dropped = slicesOf(former);
    if (outcome === "kept" || dropped.length === 0) return true;
    return at.payloads.drop(at.write, dropped).then(() => true);
  };
  const stored = at.write.get(key);
  return stored instanceof Promise ? stored.then(put) : put(stored);
}

/** Whether nothing lies where a new record goes, and no neighbour could become one with it: one look tells. */
async function isApart(at: RangeWriter, from: number, to: number, record: RangeRecord): Promise<boolean> {
  const joins = "inline" in record && record.inline.length < FILE_LIMITS.joinedBytesMax;
  const reach = Math.max(0, from - FILE_LIMITS.rangeBytesMax);
  const near = rangesOf(at.share.id, at.content, reach, joins ? to + 1 : to);
  const [last] = await at.write.take({ from: near.from, to: near.to, reverse: true }, 1);
  if (last === undefined) return true;
  const { end } = unpackFound(last);
  return joins ? end < from : end <= from;
}

interface Piece {
  readonly offset: number;
  readonly record: RangeRecord;
}

/** What is left of a record on both sides of [from, to). */
function remainders({ offset, end, record }: Found, from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  if (offset < from) pieces.push({ offset, record: partOf(record, 0, from - offset) });
  if (end > to) pieces.push({ offset: to, record: partOf(record, to - offset, end - to) });
  return pieces;
}

interface Whole {
  readonly from: number;
  readonly record: RangeRecord;
}

/** The new record with a neighbour, when both lie in their records and are small enough together. */
function join(whole: Whole, { offset, record }: Piece): Whole | undefined {
  if (!("inline" in record) || !("inline" in whole.record)) return undefined;
  const length = record.inline.length + whole.record.inline.length;
  if (length > FILE_LIMITS.joinedBytesMax) return undefined;
  const isBefore = offset < whole.from;
  const parts = isBefore ? [record.inline, whole.record.inline] : [whole.record.inline, record.inline];
  return { from: isBefore ? offset : whole.from, record: { inline: Buffer.concat(parts, length) } };
}

/** Puts a record where nothing is yet: into content that was made by this or an earlier step of the same copy. */
export function putRecord(at: RangeWriter, offset: number, record: RangeRecord): void {
  const key = rangeKey(at.share.id, at.content, offset);
  putVersioned(at.write, volumeOf(at.share), { key, packed: rangeRecord.pack(record, at.since) });
}

/** Nobody will read this content any more, snapshots apart: the reclaimer takes it apart in steps. */
export function discardContent(write: Writer, share: ShareRecord, content: bigint): void {
  const record = { what: "content", share: share.id, content, epoch: share.epoch ?? 0n } as const;
  write.put(garbageKey(write.revision()), garbageRecord.pack(record));
}

/** The same at once, for content of so few records that a note to the reclaimer would cost as much as they do. */
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
  const volume = volumeOf(share);
  const dropped: Slice[] = [];
  for (const { key, value } of found) {
    if (deleteVersioned(write, volume, key, value) === "replaced")
      dropped.push(...slicesOf(rangeRecord.unpack(bodyOf(value))));
  }
  if (dropped.length > 0) await payloads.drop(write, dropped);
  return "dropped";
}
