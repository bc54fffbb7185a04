import type { Key } from "../kv.ts";
import type { Snapshot } from "../overlay.ts";
export declare class OrderedMap {
    #private;
    size: number;
    snapshot(): Snapshot;
    set(key: Key, value: Buffer): void;
    delete(key: Key): void;
}
