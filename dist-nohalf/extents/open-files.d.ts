import type { Device, DeviceFile } from "./device.ts";
import { type ExtentShape } from "./format.ts";
/** A file held open for a reader, who gives it back. */
export interface HeldFile {
    readonly file: DeviceFile;
    /** A second hold on the same descriptor, given back on its own. */
    again(): HeldFile;
    release(): void;
}
/**
 * Descriptors of extents being read. Those in use stay open, even after their file is unlinked; those nobody uses
 * stay open up to `LIMITS.extentFilesIdleMax`, the least recently used go first.
 */
export declare class OpenFiles {
    #private;
    constructor(device: Device, shape: ExtentShape, idleMax?: number);
    get count(): number;
    hold(extent: bigint): Promise<HeldFile>;
    /** The file is going away: its descriptor closes as soon as nobody reads, so that the space is really freed. */
    forget(extent: bigint): void;
    /** Closes what nobody reads; readers in flight close theirs when they end. */
    close(): void;
}
