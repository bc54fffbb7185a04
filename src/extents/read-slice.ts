import { assert } from "../base/assert.ts";
import { DamagedData, isTransientFault, StorageFault } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { crc32 } from "../digest/crc32.ts";
import { bufferPool } from "../memory/buffer-pool.ts";
import { narrow, type OwnedChunk, release } from "../memory/pooled-buffer.ts";
import type { DeviceFile } from "./device.ts";
import { type ExtentShape, FRAME_HEADER_BYTES, fileNameOf, frameChecksum, type Slice } from "./format.ts";

/** Part of a slice's data. */
export interface SliceRange {
  readonly from: number;
  readonly length: number;
}

/**
 * Counts the bytes that reads in flight keep in memory for slow clients. Below the limit, reads are large and
 * read ahead; above it, each reads one chunk, so that many slow clients progress.
 */
export class ReadMemory {
  #pinnedBytes = 0;

  get pinnedBytes(): number {
    return this.#pinnedBytes;
  }

  fits(bytes: number): boolean {
    return this.#pinnedBytes + bytes <= LIMITS.readMemoryBytes;
  }

  pin(bytes: number): void {
    this.#pinnedBytes += bytes;
  }

  unpin(bytes: number): void {
    this.#pinnedBytes -= bytes;
  }
}

/**
 * Streams a range of a slice. No byte is handed out before the checksum of its whole chunk has been verified.
 * The read scatters headers and data into separate buffers, so that the data of many chunks is one buffer.
 */
export async function* readSlice(
  file: DeviceFile,
  slice: Slice,
  range: SliceRange,
  shape: ExtentShape,
  memory: ReadMemory,
): AsyncGenerator<OwnedChunk> {
  const { from, length } = range;
  if (length === 0) return;
  const end = from + length;
  const chunksMax = Math.max(1, Math.floor(LIMITS.extentReadBytes / shape.chunkBytes));
  const last = Math.ceil(end / shape.chunkBytes);
  let next = Math.floor(from / shape.chunkBytes);
  const readAhead: { readonly part: Promise<OwnedChunk>; readonly bytes: number }[] = [];
  try {
    while (next < last || readAhead.length > 0) {
      while (next < last && readAhead.length <= LIMITS.extentReadAheadMax) {
        const hasSpace = memory.fits(chunksMax * shape.chunkBytes);
        if (!hasSpace && readAhead.length > 0) break;
        const count = Math.min(hasSpace ? chunksMax : 1, last - next);
        const bytes = count * shape.chunkBytes;
        memory.pin(bytes);
        const load = loadChunks(file, slice, { first: next, count }, shape);
        const start = next * shape.chunkBytes;
        next += count;
        const part = load.then((data) =>
          narrow(data, Math.max(0, from - start), Math.min(end - start, data.length)),
        );
        // The error surfaces when this part is awaited; until then it must not count as unhandled.
        part.catch(() => {});
        readAhead.push({ part, bytes });
      }
      const { part, bytes } = readAhead.shift()!;
      try {
        yield await part;
      } finally {
        // A consumer that asks for the next part has passed this one on.
        memory.unpin(bytes);
      }
    }
  } finally {
    // The descriptor may be closed after this, so no read may still use it.
    for (const read of await Promise.allSettled(readAhead.map(({ part }) => part)))
      if (read.status === "fulfilled") release(read.value);
    for (const { bytes } of readAhead) memory.unpin(bytes);
  }
}

/** A range of a slice in one buffer, by one read: for ranges of at most `LIMITS.extentReadBytes`. */
export async function loadRange(
  file: DeviceFile,
  slice: Slice,
  { from, length }: SliceRange,
  shape: ExtentShape,
): Promise<OwnedChunk> {
  assert(from >= 0 && length >= 0 && from + length <= slice.length, "a range must lie inside its slice");
  const first = Math.floor(from / shape.chunkBytes);
  const count = Math.ceil((from + length) / shape.chunkBytes) - first;
  const data = await loadChunks(file, slice, { first, count }, shape);
  const start = from - first * shape.chunkBytes;
  return narrow(data, start, start + length);
}

interface Chunks {
  readonly first: number;
  readonly count: number;
}

async function loadChunks(
  file: DeviceFile,
  slice: Slice,
  chunks: Chunks,
  shape: ExtentShape,
): Promise<OwnedChunk> {
  const { chunkBytes } = shape;
  const dataBytes = Math.min(chunks.count * chunkBytes, slice.length - chunks.first * chunkBytes);
  const data = bufferPool.acquireRead(dataBytes);
  try {
    await readFrames(file, slice, { ...chunks, data }, shape);
    return data;
  } catch (error) {
    release(data);
    throw error;
  }
}

/** Reads frames into `data` and compares each with its checksum. */
async function readFrames(
  file: DeviceFile,
  slice: Slice,
  { first, count, data }: Chunks & { readonly data: Buffer },
  { chunkBytes }: ExtentShape,
): Promise<void> {
  const headers = Buffer.allocUnsafe(count * FRAME_HEADER_BYTES);
  const parts: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    parts.push(headers.subarray(i * FRAME_HEADER_BYTES, (i + 1) * FRAME_HEADER_BYTES));
    parts.push(data.subarray(i * chunkBytes, (i + 1) * chunkBytes));
  }
  const offset = slice.offset + first * (chunkBytes + FRAME_HEADER_BYTES);
  let found: number;
  try {
    found = await file.read(parts, offset);
  } catch (cause) {
    throw new StorageFault(`cannot read ${fileNameOf(slice.extent)} at offset ${offset}`, {
      cause,
      isTransient: isTransientFault(cause),
    });
  }
  if (found < headers.length + data.length)
    throw new DamagedData(`${fileNameOf(slice.extent)} ends at ${offset + found}, inside a slice`);
  for (let i = 0; i < count; i++) {
    const frameAt = offset + i * (chunkBytes + FRAME_HEADER_BYTES);
    checkFrame(slice.extent, frameAt, parts[2 * i]!, parts[2 * i + 1]!);
  }
}

function checkFrame(extent: bigint, offset: number, header: Buffer, data: Buffer): void {
  const crc = crc32(data, frameChecksum.seed(extent, offset, data.length));
  if (header.readUInt32LE(0) === data.length && header.readUInt32LE(4) === crc) return;
  throw new DamagedData(`${fileNameOf(extent)} does not match its checksum at offset ${offset}`);
}
