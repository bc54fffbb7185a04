import type { ExtentFiles } from "../../extents/extent-files.ts";
import type { Slice } from "../../extents/format.ts";
/**
 * Payload opened inside a snapshot. Until `close` it can be streamed to the end, whatever is deleted or compacted
 * meanwhile. Whoever opens it closes it: it keeps files from being removed.
 */
export interface OpenPayload {
    readonly length: number;
    /** Every byte has been compared with its checksum before it comes out. Throws `DamagedData`. */
    stream(from: number, length: number): AsyncIterable<Buffer>;
    close(): void;
}
/** Payload that lies inside a record. */
export declare function inlinePayload(bytes: Buffer): OpenPayload;
/** A slice where it lies now, and where its data begins in the whole payload. */
export interface LocatedSlice {
    readonly slice: Slice;
    readonly start: number;
}
export declare class SlicedPayload implements OpenPayload {
    #private;
    readonly length: number;
    constructor(options: {
        readonly length: number;
        readonly files: ExtentFiles;
        readonly located: readonly LocatedSlice[];
        readonly unpin: () => void;
    });
    stream(from: number, length: number): AsyncGenerator<Buffer>;
    close(): void;
}
