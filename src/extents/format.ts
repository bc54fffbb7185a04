import { assert } from "../base/assert.ts";
import { LIMITS } from "../base/limits.ts";
import { crc32, JoinedCrc32 } from "../digest/crc32.ts";

/**
 * The bytes of an extent file. All numbers are little-endian.
 *
 *   0   8  magic "HFEXTENT"
 *   8   4  format version
 *   12  4  data bytes of a full chunk
 *   16  8  extent id
 *   24  4  zero
 *   28  4  CRC32 of the 28 bytes before
 *   32     frames
 *
 * A frame is the length of its data (4 bytes), a CRC32 (4 bytes) and the data. A slice is a row of frames: all
 * full but the last, so chunk i of a slice is at `offset + i * (8 + chunkBytes)` and no index is needed.
 *
 * The CRC covers the extent id, the offset of the frame, the length and the data: a frame that the disk put in
 * the wrong place, or left from a file that stood there before, does not pass for the one we look for.
 */
export const EXTENT_FORMAT_VERSION = 1;
export const FILE_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 8;

const MAGIC = Buffer.from("HFEXTENT", "latin1");
const CRC_AT = 28;

/** Where payload is: `length` bytes of data in frames that begin at `offset` of the extent's file. */
export interface Slice {
  readonly extent: bigint;
  readonly offset: number;
  readonly length: number;
}

/** The sizes of a log. Tests use smaller ones, to meet every edge within a few bytes. */
export interface ExtentShape {
  readonly chunkBytes: number;
  readonly pieceBytes: number;
  readonly extentBytesMax: number;
}

export function extentShape(shape: Partial<ExtentShape> = {}): ExtentShape {
  const { chunkBytes = LIMITS.chunkBytes, pieceBytes = LIMITS.pieceBytes } = shape;
  const { extentBytesMax = LIMITS.extentBytesMax } = shape;
  assert(pieceBytes % chunkBytes === 0, "a piece is a whole number of chunks");
  const whole = { chunkBytes, pieceBytes, extentBytesMax };
  assert(FILE_HEADER_BYTES + storedBytes(pieceBytes, whole) <= extentBytesMax, "a piece fits an extent");
  return whole;
}

/** What `length` bytes of data take in a file, with their frame headers. */
export function storedBytes(length: number, shape: Pick<ExtentShape, "chunkBytes">): number {
  return length + Math.ceil(length / shape.chunkBytes) * FRAME_HEADER_BYTES;
}

export function fileNameOf(extent: bigint): string {
  return `${extent.toString(16).padStart(16, "0")}.extent`;
}

/** The id in a file name; undefined for a file that is none of ours. */
export function extentOfFileName(name: string): bigint | undefined {
  const parts = /^([0-9a-f]{16})\.extent$/.exec(name);
  return parts === null ? undefined : BigInt(`0x${parts[1]}`);
}

export function packFileHeader(extent: bigint, shape: ExtentShape): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  header.set(MAGIC, 0);
  header.writeUInt32LE(EXTENT_FORMAT_VERSION, 8);
  header.writeUInt32LE(shape.chunkBytes, 12);
  header.writeBigUInt64LE(extent, 16);
  header.writeUInt32LE(crc32(header.subarray(0, CRC_AT)), CRC_AT);
  return header;
}

export type HeaderVerdict = "ok" | "damaged" | "newer";

export function checkFileHeader(header: Buffer, extent: bigint, shape: ExtentShape): HeaderVerdict {
  if (header.length < FILE_HEADER_BYTES || !header.subarray(0, 8).equals(MAGIC)) return "damaged";
  if (header.readUInt32LE(CRC_AT) !== crc32(header.subarray(0, CRC_AT))) return "damaged";
  // The checksum held, so the version is what was written: a newer Holdfast made this file.
  if (header.readUInt32LE(8) > EXTENT_FORMAT_VERSION) return "newer";
  return header.equals(packFileHeader(extent, shape)) ? "ok" : "damaged";
}

const place = Buffer.alloc(20);

/** The CRC every frame starts from: where it is and how long. The data is added with `crc32(data, seed)`. */
export function frameSeed(extent: bigint, offset: number, length: number): number {
  place.writeBigUInt64LE(extent, 0);
  place.writeUIntLE(offset, 8, 6);
  place.writeUInt32LE(length, 16);
  return crc32(place);
}

/** Of one length of chunks for each log, and all logs but those of tests have the same. */
const joins = new Map<number, JoinedCrc32>();

function joinOf(chunkBytes: number): JoinedCrc32 {
  const join = joins.get(chunkBytes) ?? new JoinedCrc32(chunkBytes);
  joins.set(chunkBytes, join);
  return join;
}

/**
 * Data as it goes to the file: headers and data in turn, nothing copied. `offset` is where the first frame goes;
 * every frame but the last is full. `crcs` are those of its first chunks, each alone, as far as somebody has them.
 */
export function frameParts(
  data: readonly Uint8Array[],
  at: { readonly extent: bigint; readonly offset: number; readonly length: number },
  shape: ExtentShape,
  crcs: readonly number[] = [],
): Uint8Array[] {
  const frames = Math.ceil(at.length / shape.chunkBytes);
  const headers = Buffer.allocUnsafe(frames * FRAME_HEADER_BYTES);
  const out: Uint8Array[] = [];
  const parts = new PartsReader(data);
  for (let frame = 0; frame < frames; frame++) {
    const length = Math.min(shape.chunkBytes, at.length - frame * shape.chunkBytes);
    const header = headers.subarray(frame * FRAME_HEADER_BYTES, (frame + 1) * FRAME_HEADER_BYTES);
    out.push(header);
    const seed = frameSeed(at.extent, at.offset + frame * (shape.chunkBytes + FRAME_HEADER_BYTES), length);
    const known = crcs[frame];
    let crc = known === undefined ? seed : joinOf(shape.chunkBytes).join(seed, known);
    for (let left = length; left > 0; ) {
      const bytes = parts.next(left);
      if (known === undefined) crc = crc32(bytes, crc);
      out.push(bytes);
      left -= bytes.length;
    }
    header.writeUInt32LE(length, 0);
    header.writeUInt32LE(crc, 4);
  }
  return out;
}

/** Data in parts, of which more may come, taken from its start on. */
export class PartsReader {
  readonly #parts: readonly Uint8Array[];
  #part = 0;
  #used = 0;

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts;
  }

  /** The next bytes of one part, at most `bytesMax`. */
  next(bytesMax: number): Uint8Array {
    while (this.#used === this.#parts[this.#part]!.length) {
      this.#part++;
      this.#used = 0;
    }
    const part = this.#parts[this.#part]!;
    const from = this.#used;
    this.#used = Math.min(from + bytesMax, part.length);
    return this.#used - from === part.length ? part : part.subarray(from, this.#used);
  }
}
