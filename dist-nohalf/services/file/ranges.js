import { FILE_LIMITS } from "../../base/limits-file.js";
import { garbageKey, offsetOfRangeKey, rangeKey, rangesOf } from "../../store/keys/file.js";
import { garbageRecord, rangeRecord } from "../../store/records/file.js";
import { contentLength } from "../payload/content.js";
import { lengthOf, partOf, sliceChanges, slicesOf } from "./range-record.js";
import { volumeOf } from "./shares.js";
import { bodyOf, deleteVersioned, putVersioned } from "./versions.js";
/** Records that overlap or touch [from, to), in order. */
async function* findRanges({ write, share, content }, from, to) {
    const reach = Math.max(0, from - FILE_LIMITS.rangeBytesMax);
    if (from > 0) {
        const before = { ...rangesOf(share.id, content, reach, from), reverse: true, limit: 1 };
        for await (const entry of write.range(before)) {
            const found = unpackFound(entry);
            if (found.end >= from)
                yield found;
        }
    }
    for await (const entry of write.range(rangesOf(share.id, content, from, to + 1)))
        yield unpackFound(entry);
}
function unpackFound({ key, value }) {
    const record = rangeRecord.unpack(bodyOf(value));
    const offset = offsetOfRangeKey(key);
    return { offset, end: offset + lengthOf(record), stored: value, record };
}
/** Content that was taken in, as a range. */
export function rangeOf(content) {
    if ("inline" in content)
        return { inline: content.inline };
    return { slices: content.slices, skip: 0, length: contentLength(content) };
}
/** Puts bytes at an offset. `content` has been kept by the caller, or lies in the record. */
export async function putBytes(at, offset, content) {
    const record = rangeOf(content);
    const length = lengthOf(record);
    if (length === 0)
        return;
    await replace(at, offset, offset + length, record);
}
/** Makes a hole: what was written there reads as zero and takes no space. */
export async function clearBytes(at, from, to) {
    if (from < to)
        await replace(at, from, to, undefined);
}
const CLEARED_UNIT = 512;
/**
 * Put Range with x-ms-write: clear. Whole units of 512 bytes are freed; what remains at the two edges is
 * overwritten with zeros.
 */
export async function clearRange(at, from, to) {
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
async function replace(at, from, to, record) {
    if (record !== undefined && (await replaceSame(at, from, record)))
        return;
    const before = [];
    const after = [];
    const puts = new Map();
    let whole = record === undefined ? undefined : { from, record };
    const volume = volumeOf(at.share);
    const found = [];
    for await (const one of findRanges(at, from, to))
        found.push(one);
    for (const one of found) {
        const { offset, end, stored } = one;
        const isOverlapped = offset < to && end > from;
        const pieces = isOverlapped ? remainders(one, from, to) : [one];
        const left = pieces.filter((piece) => {
            const joined = whole === undefined ? undefined : join(whole, piece);
            if (joined !== undefined)
                whole = joined;
            return joined === undefined;
        });
        // A neighbour that stays as it is, is not touched.
        if (!isOverlapped && left.length > 0)
            continue;
        const key = rangeKey(at.share.id, at.content, offset);
        const stays = left.find((piece) => piece.offset === offset);
        const outcome = stays === undefined
            ? deleteVersioned(at.write, volume, key, stored)
            : putVersioned(at.write, volume, {
                key,
                body: rangeRecord.pack(stays.record),
                since: at.since,
                stored,
            });
        // A version that a snapshot sees keeps the references; otherwise they pass to what is left.
        if (outcome === "replaced")
            before.push(one.record);
        for (const piece of left) {
            after.push(piece.record);
            if (piece !== stays)
                puts.set(piece.offset, piece.record);
        }
    }
    if (whole !== undefined)
        puts.set(whole.from, whole.record);
    for (const [offset, put] of puts) {
        const key = rangeKey(at.share.id, at.content, offset);
        putVersioned(at.write, volume, { key, body: rangeRecord.pack(put), since: at.since });
    }
    const { shared, dropped } = sliceChanges(before, after);
    if (shared.length > 0)
        await at.payloads.share(at.write, shared);
    if (dropped.length > 0)
        await at.payloads.drop(at.write, dropped);
}
/** A page that is written again where it was: nothing else can lie there, so nothing has to be searched. */
async function replaceSame(at, offset, record) {
    const key = rangeKey(at.share.id, at.content, offset);
    const stored = await at.write.get(key);
    if (stored === undefined)
        return false;
    const former = rangeRecord.unpack(bodyOf(stored));
    if (lengthOf(former) !== lengthOf(record))
        return false;
    const body = rangeRecord.pack(record);
    const outcome = putVersioned(at.write, volumeOf(at.share), { key, body, since: at.since, stored });
    const dropped = slicesOf(former);
    if (outcome === "replaced" && dropped.length > 0)
        await at.payloads.drop(at.write, dropped);
    return true;
}
/** What is left of a record on both sides of [from, to). */
function remainders({ offset, end, record }, from, to) {
    const pieces = [];
    if (offset < from)
        pieces.push({ offset, record: partOf(record, 0, from - offset) });
    if (end > to)
        pieces.push({ offset: to, record: partOf(record, to - offset, end - to) });
    return pieces;
}
/** The new record with a neighbour, when both lie in their records and are small enough together. */
function join(whole, { offset, record }) {
    if (!("inline" in record) || !("inline" in whole.record))
        return undefined;
    const length = record.inline.length + whole.record.inline.length;
    if (length > FILE_LIMITS.joinedBytesMax)
        return undefined;
    const isBefore = offset < whole.from;
    const parts = isBefore ? [record.inline, whole.record.inline] : [whole.record.inline, record.inline];
    return { from: isBefore ? offset : whole.from, record: { inline: Buffer.concat(parts, length) } };
}
/** Puts a record where nothing is yet: into content that was made by this or an earlier step of the same copy. */
export function putRecord(at, offset, record) {
    const key = rangeKey(at.share.id, at.content, offset);
    putVersioned(at.write, volumeOf(at.share), { key, body: rangeRecord.pack(record), since: at.since });
}
/** Nobody will read this content any more, snapshots apart: the reclaimer takes it apart in steps. */
export function discardContent(write, share, content) {
    const record = { what: "content", share: share.id, content, epoch: share.epoch ?? 0n };
    write.put(garbageKey(write.revision()), garbageRecord.pack(record));
}
