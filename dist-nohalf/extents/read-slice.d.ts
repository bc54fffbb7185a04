import type { DeviceFile } from "./device.ts";
import { type ExtentShape, type Slice } from "./format.ts";
/** Part of a slice's data. */
export interface SliceRange {
    readonly from: number;
    readonly length: number;
}
/**
 * Streams a range of a slice. No byte is handed out before the checksum of its whole chunk has been compared.
 * Headers and data are scattered into separate buffers by the read itself, so the data of many chunks comes out
 * as one buffer without being copied.
 */
export declare function readSlice(file: DeviceFile, slice: Slice, range: SliceRange, shape: ExtentShape): AsyncGenerator<Buffer>;
/** A range of a slice in one buffer, by one read: for ranges of at most `LIMITS.extentReadBytes`. */
export declare function loadRange(file: DeviceFile, slice: Slice, { from, length }: SliceRange, shape: ExtentShape): Promise<Buffer>;
