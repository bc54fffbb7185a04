import type { Clock, Instant } from "../base/clock.ts";
import type { Entry, Key, Range } from "./kv.ts";
import type { RawReader } from "./long-keys.ts";
import type { Snapshot } from "./overlay.ts";
/** A reader over one committed state. */
export declare class SnapshotReader implements RawReader {
    #private;
    constructor(snapshot: Snapshot, clock: Clock);
    get(key: Key): Buffer | undefined;
    getMany(keys: readonly Key[]): (Buffer | undefined)[];
    page(range: Range, limit: number): Entry[];
    now(): Instant;
}
