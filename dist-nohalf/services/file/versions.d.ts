import type { Revision } from "../../base/revision.ts";
import type { Entry, Key, Range, Reader, Writer } from "../../store/kv.ts";
/** What of a share a change must know. */
export interface Volume {
    readonly id: bigint;
    /** The newest snapshot; 0 when there is none. */
    readonly epoch: Revision;
}
/** A stored record with its since taken off. */
export declare function bodyOf(stored: Buffer): Buffer;
export declare function sinceOf(stored: Buffer): Revision;
/** Writes a record. `stored` is what lies there now, as it was read in this transaction. */
export declare function putVersioned(write: Writer, volume: Volume, change: {
    readonly key: Key;
    readonly body: Buffer;
    readonly since: Revision;
    readonly stored?: Buffer | undefined;
}): "kept" | "replaced";
/** "kept": a snapshot still sees the record, and its payload with it. */
export declare function deleteVersioned(write: Writer, volume: Volume, key: Key, stored: Buffer): "kept" | "replaced";
/** The contents of a share, as they are now or as a snapshot sees them. Values come without their since. */
export interface View {
    get(key: Key): Promise<Buffer | undefined>;
    getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]>;
    range(range: Range): AsyncIterable<Entry>;
    /** The last entry of a range that holds few: a snapshot has to look at all of them. */
    last(range: Range): Promise<Entry | undefined>;
}
export declare class LiveView implements View {
    #private;
    constructor(read: Reader);
    get(key: Key): Promise<Buffer | undefined>;
    getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]>;
    range(range: Range): AsyncGenerator<Entry>;
    last(range: Range): Promise<Entry | undefined>;
}
export declare class SnapshotView implements View {
    #private;
    constructor(read: Reader, epoch: Revision);
    get(key: Key): Promise<Buffer | undefined>;
    getMany(keys: readonly Key[]): Promise<(Buffer | undefined)[]>;
    /** Live records and versions side by side, both in the order of keys; a version hides the live record. */
    range({ limit, ...range }: Range): AsyncGenerator<Entry>;
    last(range: Range): Promise<Entry | undefined>;
}
