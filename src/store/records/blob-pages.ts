import { DamagedData } from "../../base/faults.ts";
import { recordType } from "./record.ts";

export interface StoredSlice {
  readonly extent: bigint;
  readonly offset: number;
  readonly length: number;
}

/**
 * Written pages: their place in the blob, their epoch, and the place of the bytes. Each range has one
 * reference to its slice; `from` is its offset in the slice.
 */
export interface PageRangeEntry {
  readonly start: number;
  readonly length: number;
  readonly epoch: bigint;
  readonly slice: StoredSlice;
  readonly from: number;
}

type PackedRange = readonly [
  start: number,
  length: number,
  epoch: bigint,
  extent: bigint,
  offset: number,
  sliceLength: number,
  from: number,
];

const firstSegment = recordType<{ readonly r: readonly PackedRange[] }>("blobPages", 1);
const VERSION = 2;
const RANGE_BYTES = 44;

/** A reused DataView, the fastest way to read and write 64-bit numbers. */
const view = new DataView(new ArrayBuffer(RANGE_BYTES));
const viewed = Buffer.from(view.buffer);

/**
 * The ranges of one segment, sorted. A segment may have hundreds, and every write of pages writes one, so
 * ranges have fixed offsets: a write finds its ranges by bisection and copies the others. Version 1 was a
 * MessagePack list and is still read.
 *
 *   0 version 2, then for each range: start (8, floating), length (4), epoch (8), extent (8),
 *   offset (8, floating), length of the slice (4), from (4)
 */
export const segmentRecord = {
  pack(ranges: readonly PageRangeEntry[]): Buffer {
    const bytes = Buffer.allocUnsafe(1 + ranges.length * RANGE_BYTES);
    bytes[0] = VERSION;
    for (let i = 0; i < ranges.length; i++) writeRange(bytes, i, ranges[i]!);
    return bytes;
  },

  unpack(bytes: Buffer): PageRangeEntry[] {
    if (bytes[0] === 1) return unpackFirst(bytes);
    const count = this.countOf(bytes);
    const ranges: PageRangeEntry[] = [];
    for (let i = 0; i < count; i++) ranges.push(this.rangeAt(bytes, i));
    return ranges;
  },

  /** The record in the current version, which the functions below need. */
  renew(bytes: Buffer): Buffer {
    return bytes[0] === 1 ? this.pack(unpackFirst(bytes)) : bytes;
  },

  countOf(bytes: Buffer): number {
    const count = (bytes.length - 1) / RANGE_BYTES;
    if (bytes[0] !== VERSION || !Number.isInteger(count)) {
      throw new DamagedData(`record of family blobPages has version ${bytes[0]} and ${bytes.length} bytes`);
    }
    return count;
  },

  rangeAt(bytes: Buffer, index: number): PageRangeEntry {
    const at = 1 + index * RANGE_BYTES;
    bytes.copy(viewed, 0, at, at + RANGE_BYTES);
    return {
      start: view.getFloat64(0),
      length: view.getUint32(8),
      epoch: view.getBigUint64(12),
      slice: { extent: view.getBigUint64(20), offset: view.getFloat64(28), length: view.getUint32(36) },
      from: view.getUint32(40),
    };
  },

  /** The first range that ends after `offset`. */
  firstAfter(bytes: Buffer, offset: number): number {
    let low = 0;
    let high = this.countOf(bytes);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = 1 + middle * RANGE_BYTES;
      if (bytes.readDoubleBE(at) + bytes.readUInt32BE(at + 8) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  },

  /** A copy with one range in place of those from `first` up to `end`. */
  replaced(bytes: Buffer, first: number, end: number, range: PageRangeEntry): Buffer {
    const after = 1 + end * RANGE_BYTES;
    const at = 1 + first * RANGE_BYTES;
    const out = Buffer.allocUnsafe(at + RANGE_BYTES + bytes.length - after);
    bytes.copy(out, 0, 0, at);
    writeRange(out, first, range);
    bytes.copy(out, at + RANGE_BYTES, after);
    return out;
  },
};

function writeRange(
  bytes: Buffer,
  index: number,
  { start, length, epoch, slice, from }: PageRangeEntry,
): void {
  view.setFloat64(0, start);
  view.setUint32(8, length);
  view.setBigUint64(12, epoch);
  view.setBigUint64(20, slice.extent);
  view.setFloat64(28, slice.offset);
  view.setUint32(36, slice.length);
  view.setUint32(40, from);
  viewed.copy(bytes, 1 + index * RANGE_BYTES);
}

function unpackFirst(bytes: Buffer): PageRangeEntry[] {
  return firstSegment.unpack(bytes).r.map(([start, length, epoch, extent, offset, sliceLength, from]) => ({
    start,
    length,
    epoch,
    slice: { extent, offset, length: sliceLength },
    from,
  }));
}
