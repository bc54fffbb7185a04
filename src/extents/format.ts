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
 * A frame is the length of its data (4 bytes), a CRC32 (4 bytes) and the data, called a chunk. A slice is a
 * sequence of frames, all full but the last, so chunk i is at `offset + i * (8 + chunkBytes)` and no index is
 * needed.
 *
 * The CRC covers the extent id, the offset of the frame, the length and the data, so that it detects a frame
 * that the disk misplaced or that remains from an earlier file.
 */
export const EXTENT_FORMAT_VERSION = 1;
export const FILE_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 8;

const MAGIC = Buffer.from("HFEXTENT", "latin1");
const CRC_AT = 28;

/** A location of payload: `length` bytes of data in frames that begin at `offset` of the extent's file. */
export interface Slice {
  readonly extent: bigint;
  readonly offset: number;
  readonly length: number;
}

/** The sizes of a log. Tests use small ones, to reach every edge within a few bytes. */
export interface ExtentShape {
  readonly chunkBytes: number;
  readonly writeBufferBytes: number;
  readonly extentBytesMax: number;
}

export function extentShape(shape: Partial<ExtentShape> = {}): ExtentShape {
  const { chunkBytes = LIMITS.chunkBytes, writeBufferBytes = LIMITS.writeBufferBytes } = shape;
  const { extentBytesMax = LIMITS.extentBytesMax } = shape;
  assert(writeBufferBytes % chunkBytes === 0, "a write buffer is a whole number of chunks");
  const whole = { chunkBytes, writeBufferBytes, extentBytesMax };
  assert(
    FILE_HEADER_BYTES + storedBytes(writeBufferBytes, whole) <= extentBytesMax,
    "a write buffer fits an extent",
  );
  return whole;
}

/** The size of `length` bytes of data in a file, with their frame headers. */
export function storedBytes(length: number, shape: Pick<ExtentShape, "chunkBytes">): number {
  return length + Math.ceil(length / shape.chunkBytes) * FRAME_HEADER_BYTES;
}

export function fileNameOf(extent: bigint): string {
  return `${extent.toString(16).padStart(16, "0")}.extent`;
}

/** The id in a file name; undefined when the file is not an extent. */
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
  // The checksum matches, so a newer version of Holdfast wrote the file.
  if (header.readUInt32LE(8) > EXTENT_FORMAT_VERSION) return "newer";
  return header.equals(packFileHeader(extent, shape)) ? "ok" : "damaged";
}

/** Computes checksums of frames, and reuses the memory that this needs. */
class FrameChecksum {
  readonly #place = Buffer.alloc(20);
  /** For the last chunk length; all logs outside of tests share one length. */
  #joined = { chunkBytes: 0, crc: new JoinedCrc32(0) };

  /** The CRC of a frame's place and length. `crc32(data, seed)` adds the data. */
  seed(extent: bigint, offset: number, length: number): number {
    this.#place.writeBigUInt64LE(extent, 0);
    this.#place.writeUIntLE(offset, 8, 6);
    this.#place.writeUInt32LE(length, 16);
    return crc32(this.#place);
  }

  /** The CRC of a full frame whose chunk has the CRC `chunkCrc`. */
  join(seed: number, chunkCrc: number, chunkBytes: number): number {
    if (this.#joined.chunkBytes !== chunkBytes)
      this.#joined = { chunkBytes, crc: new JoinedCrc32(chunkBytes) };
    return this.#joined.crc.join(seed, chunkCrc);
  }
}

export const frameChecksum = new FrameChecksum();

/**
 * Data as frames: headers and data alternate, without copies. `at.offset` is the place of the first frame;
 * every frame but the last is full. `crcs` are the CRCs of the first chunks, as far as they were computed.
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
    const seed = frameChecksum.seed(
      at.extent,
      at.offset + frame * (shape.chunkBytes + FRAME_HEADER_BYTES),
      length,
    );
    const chunkCrc = crcs[frame];
    let crc = chunkCrc === undefined ? seed : frameChecksum.join(seed, chunkCrc, shape.chunkBytes);
    for (let left = length; left > 0; ) {
      const bytes = parts.next(left);
      if (chunkCrc === undefined) crc = crc32(bytes, crc);
      out.push(bytes);
      left -= bytes.length;
    }
    header.writeUInt32LE(length, 0);
    header.writeUInt32LE(crc, 4);
  }
  return out;
}

/** Reads data in parts from its start; parts may be added meanwhile. */
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
