import { DamagedData } from "../base/faults.ts";
import type { Device } from "./device.ts";
import { type ExtentShape, type Slice } from "./format.ts";
import { type SliceRange } from "./read-slice.ts";
/** What a look at a file says: its size, or why it cannot be used. */
export type FileVerdict = {
    readonly is: "ok";
    readonly bytes: number;
} | {
    readonly is: "missing" | "damaged" | "newer";
};
/** Extents held open for one reader. Slices of other extents are read as well, while their file is there. */
export interface Reading {
    read(slice: Slice, range?: SliceRange): AsyncGenerator<Buffer>;
    release(): void;
}
/** Reading side of the extents: verified ranges through descriptors that are shared, counted and bounded. */
export declare class ExtentFiles {
    #private;
    readonly device: Device;
    readonly shape: ExtentShape;
    constructor(device: Device, options?: {
        shape?: Partial<ExtentShape>;
        idleMax?: number;
    });
    /** Descriptors open now. */
    get openCount(): number;
    /**
     * Holds the files of these extents open: whatever is unlinked later, their slices can be read until `release`.
     * Rejects with `DamagedData` when one is missing or is not the file it should be.
     */
    openForRead(extents: Iterable<bigint>): Promise<Reading>;
    /** Data of a slice, in order, every chunk compared with its checksum first. Throws `DamagedData`. */
    read(slice: Slice, range?: SliceRange): AsyncGenerator<Buffer>;
    /** A range of at most `LIMITS.extentReadBytes` in one buffer: without the steps of a stream, twice as fast. */
    load(slice: Slice, range: SliceRange): Promise<Buffer>;
    /** Reads all of these slices of one extent and returns the damage found, one error for each damaged slice. */
    verify(extent: bigint, slices: AsyncIterable<Slice> | Iterable<Slice>): Promise<DamagedData[]>;
    /** Looks at the file of an extent without trusting anything about it. */
    check(extent: bigint): Promise<FileVerdict>;
    /** The extents that have a file, and its size. Other files in the directory are none of ours. */
    list(): Promise<Map<bigint, number>>;
    /** The file goes away: its idle descriptor must not keep the space. */
    forget(extent: bigint): void;
    close(): void;
}
