import { assert } from "../../base/assert.ts";
import type { RangeRecord, SliceName } from "../../store/records/file.ts";

export function lengthOf(record: RangeRecord): number {
  return "inline" in record ? record.inline.length : record.length;
}

/**
 * A range that a client cleared while the share had snapshots. It reads like one that was never written; only
 * the differences against a snapshot show it.
 */
export function clearedRange(length: number): RangeRecord {
  return { slices: [], skip: 0, length };
}

export function isCleared(record: RangeRecord): boolean {
  return "slices" in record && record.slices.length === 0;
}

export function slicesOf(record: RangeRecord): readonly SliceName[] {
  return "inline" in record ? [] : record.slices;
}

/** `length` bytes of the record from `start` on, with only the slices that hold them. */
export function partOf(record: RangeRecord, start: number, length: number): RangeRecord {
  assert(start >= 0 && length > 0 && start + length <= lengthOf(record), "a part lies inside its range");
  if ("inline" in record) return { inline: record.inline.subarray(start, start + length) };
  const from = record.skip + start;
  const to = from + length;
  const slices: SliceName[] = [];
  let skip = 0;
  let at = 0;
  for (const slice of record.slices) {
    const end = at + slice.length;
    if (end > from && at < to) {
      if (slices.length === 0) skip = from - at;
      slices.push(slice);
    }
    at = end;
  }
  return { slices, skip, length };
}

/** The references that `after` has more than `before`, and those that it has less. */
export function sliceChanges(
  before: readonly RangeRecord[],
  after: readonly RangeRecord[],
): { readonly shared: SliceName[]; readonly dropped: SliceName[] } {
  const counts = new Map<string, { slice: SliceName; count: number }>();
  const add = (record: RangeRecord, by: number): void => {
    for (const slice of slicesOf(record)) {
      const key = `${slice.extent} ${slice.offset}`;
      const counted = counts.get(key);
      if (counted === undefined) counts.set(key, { slice, count: by });
      else counted.count += by;
    }
  };
  for (const record of before) add(record, -1);
  for (const record of after) add(record, 1);
  const shared: SliceName[] = [];
  const dropped: SliceName[] = [];
  for (const { slice, count } of counts.values()) {
    for (let i = 0; i < count; i++) shared.push(slice);
    for (let i = 0; i > count; i--) dropped.push(slice);
  }
  return { shared, dropped };
}
