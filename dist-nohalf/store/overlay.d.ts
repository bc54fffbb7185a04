import type { Entry, Key, Range } from "./kv.ts";
/**
 * Writes that are not in the committed state yet: those of one transaction, or of a batch on its way to the
 * disk. Ordered, so that a scan can merge it; `null` marks a deletion.
 */
export declare class Overlay {
    #private;
    readonly writes: Map<string, Buffer<ArrayBufferLike> | null>;
    bytes: number;
    set(key: Key, value: Buffer | null): void;
    /** Takes over everything in `later`, which was written on top of this. */
    absorb(later: Overlay): void;
    hasIn(from: Key, to: Key): boolean;
    keysIn(from: Key, to: Key): Key[];
}
/** A committed state that can be read at once, without waiting. */
export interface Snapshot {
    get(key: Key): Buffer | undefined;
    page(range: Range, limit: number): Entry[];
}
/** Reads through layers of pending writes, newest first, down to the committed state. */
export declare function layeredGet(layers: readonly Overlay[], base: Snapshot, key: Key): Buffer | undefined;
export declare function layeredPage(layers: readonly Overlay[], base: Snapshot, range: Range, limit: number): Entry[];
