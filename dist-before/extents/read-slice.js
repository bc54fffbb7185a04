import { crc32 } from "node:zlib";
import { assert } from "../base/assert.js";
import { DamagedData, StorageFault } from "../base/faults.js";
import { LIMITS } from "../base/limits.js";
import { FRAME_HEADER_BYTES, fileNameOf, frameSeed } from "./format.js";
/**
 * Streams a range of a slice. No byte is handed out before the checksum of its whole chunk has been compared.
 * Headers and data are scattered into separate buffers by the read itself, so the data of many chunks comes out
 * as one buffer without being copied.
 */
export async function* readSlice(file, slice, range, shape) {
    const { from, length } = range;
    if (length === 0)
        return;
    const end = from + length;
    const chunksAtOnce = Math.max(1, Math.floor(LIMITS.extentReadBytes / shape.chunkBytes));
    const last = Math.ceil(end / shape.chunkBytes);
    let next = Math.floor(from / shape.chunkBytes);
    const ahead = [];
    try {
        while (next < last || ahead.length > 0) {
            while (next < last && ahead.length <= LIMITS.extentReadsAheadMax) {
                const load = loadChunks(file, slice, { first: next, count: Math.min(chunksAtOnce, last - next) }, shape);
                const start = next * shape.chunkBytes;
                next += chunksAtOnce;
                const part = load.then((data) => data.subarray(Math.max(0, from - start), end - start));
                // Its error is met when its turn comes; until then it must not count as unhandled.
                part.catch(() => { });
                ahead.push(part);
            }
            yield await ahead.shift();
        }
    }
    finally {
        // The descriptor may be closed after this: no read may still be using it.
        await Promise.allSettled(ahead);
    }
}
/** A range of a slice in one buffer, by one read: for ranges of at most `LIMITS.extentReadBytes`. */
export async function loadRange(file, slice, { from, length }, shape) {
    assert(from >= 0 && length >= 0 && from + length <= slice.length, "a range must lie inside its slice");
    const first = Math.floor(from / shape.chunkBytes);
    const count = Math.ceil((from + length) / shape.chunkBytes) - first;
    const data = await loadChunks(file, slice, { first, count }, shape);
    const start = from - first * shape.chunkBytes;
    return data.subarray(start, start + length);
}
async function loadChunks(file, slice, chunks, shape) {
    const { chunkBytes } = shape;
    const dataBytes = Math.min(chunks.count * chunkBytes, slice.length - chunks.first * chunkBytes);
    const data = Buffer.allocUnsafeSlow(dataBytes);
    const headers = Buffer.allocUnsafe(chunks.count * FRAME_HEADER_BYTES);
    const parts = [];
    for (let i = 0; i < chunks.count; i++) {
        parts.push(headers.subarray(i * FRAME_HEADER_BYTES, (i + 1) * FRAME_HEADER_BYTES));
        parts.push(data.subarray(i * chunkBytes, (i + 1) * chunkBytes));
    }
    const offset = slice.offset + chunks.first * (chunkBytes + FRAME_HEADER_BYTES);
    let found;
    try {
        found = await file.read(parts, offset);
    }
    catch (cause) {
        throw new StorageFault(`cannot read ${fileNameOf(slice.extent)} at offset ${offset}`, { cause });
    }
    if (found < headers.length + dataBytes) {
        throw new DamagedData(`${fileNameOf(slice.extent)} ends at ${offset + found}, inside a slice`);
    }
    for (let i = 0; i < chunks.count; i++) {
        checkFrame(slice.extent, offset + i * (chunkBytes + FRAME_HEADER_BYTES), parts[2 * i], parts[2 * i + 1]);
    }
    return data;
}
function checkFrame(extent, offset, header, data) {
    const crc = crc32(data, frameSeed(extent, offset, data.length));
    if (header.readUInt32LE(0) === data.length && header.readUInt32LE(4) === crc)
        return;
    throw new DamagedData(`${fileNameOf(extent)} does not match its checksum at offset ${offset}`);
}
