import type { Device } from "./device.ts";
import { type ExtentShape } from "./format.ts";
import { type PayloadSource } from "./pieces.ts";
import { type Appended } from "./taken.ts";
export interface ExtentLogOptions {
    readonly device: Device;
    /** A new id, never given before, once the record that says who owns it is durable. */
    nextExtentId(): Promise<bigint>;
    /** The extent is full, durable, and nobody holds slices of it that may yet get a record. */
    onSealed(extent: bigint, bytes: number): void;
    /** A sync failed. The process must stop: what waits for the sync is never answered. */
    onSyncFailure(error: unknown): void;
    readonly shape?: Partial<ExtentShape>;
}
/**
 * Appends payload to the open extent of this process. The order on disk, which makes a crash at any point safe:
 *
 *   1. the id and its owner are durable in the store         (a crash leaves a record without a file)
 *   2. the file, its header, its name in the directory       (a crash leaves an empty extent)
 *   3. frames, at offsets that nobody else has               (a crash leaves bytes nobody points to)
 *   4. a sync of the file, shared with everyone waiting
 *   5. the append resolves, and a service writes the record that points to the slices
 */
export declare class ExtentLog {
    #private;
    readonly device: Device;
    readonly shape: ExtentShape;
    constructor(options: ExtentLogOptions);
    /** The extent that takes appends now, how far it is filled, and whether any of them is not released yet. */
    get openExtent(): {
        readonly extent: bigint;
        readonly bytes: number;
        readonly isPending: boolean;
    } | undefined;
    /**
     * Streams a source to the disk, piece by piece; resolves when all of it is durable. The source gives its
     * buffers away. When it fails, so does the append, and what was written is dead.
     */
    append(source: PayloadSource): Promise<Appended>;
    /** The same for exactly `length` bytes that must stay one slice, as compaction needs it. */
    appendWhole(source: PayloadSource, length: number): Promise<Appended>;
    /** No more appends go to the open extent; it is reported as sealed when its last append is released. */
    seal(): void;
    /** Removes the file of an extent. Readers that hold it keep it; a file that is not there is fine. */
    remove(extent: bigint): Promise<void>;
    /** Seals what is open and waits until everything sealed so far has been reported. */
    close(): Promise<void>;
}
