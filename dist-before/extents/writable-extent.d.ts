import { StorageFault } from "../base/faults.ts";
import type { DeviceFile } from "./device.ts";
import { type ExtentShape } from "./format.ts";
import type { Piece } from "./pieces.ts";
/** Room in an extent that one piece, or one whole slice, has to itself. */
export interface Spot {
    readonly extent: WritableExtent;
    readonly offset: number;
}
/**
 * An extent this process appends to. Room is taken from its end before anything is written, so appends that run
 * at the same time never meet. Room whose write failed stays dead: no slice will ever point into it.
 */
export declare class WritableExtent {
    #private;
    readonly id: bigint;
    readonly file: DeviceFile;
    constructor(id: bigint, file: DeviceFile, shape: ExtentShape);
    get tail(): number;
    get isPending(): boolean;
    get isRetired(): boolean;
    /** No more room is given from here. */
    retire(): void;
    hold(): void;
    letGo(): void;
    /** True once: when nobody will write here again and every append here has been released. */
    leave(): boolean;
    /** Undefined when `bytes` do not fit any more. */
    claim(bytes: number): Spot | undefined;
    /** Frames a piece at `offset`, which a claim covers. Returns the bytes written. */
    write(piece: Piece, offset: number): Promise<number>;
}
export declare function writeFault(name: string, cause: unknown): StorageFault;
