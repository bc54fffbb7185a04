import "../../base/bytes.ts";
import type { Entry, Key, Range } from "../kv.ts";
import type { Snapshot } from "../overlay.ts";
/**
 * LMDB as this engine needs it: raw bytes, keys as binary strings, and read transactions held by hand.
 *
 * The `lmdb` package renews one shared read transaction per turn of the event loop and schedules its reset with
 * a timer, which costs more than the read itself and would answer a request from a snapshot older than the
 * request. So each snapshot here owns a read transaction of its own: renew (0.2 us) when a read begins, reset
 * when it ends. The package exports what that needs, but does not describe it in its types: the few names are
 * declared below, and the contract suite would notice if one changed its meaning.
 */
interface NativeTransaction {
    readonly address: number;
    refCount: number;
    renew(): void;
    abort(): void;
}
interface ReadOptions {
    readonly transaction: NativeTransaction;
}
interface FastBytes extends Buffer {
    readonly isGlobal?: boolean;
    readonly maxLength?: number;
}
interface RawDatabase {
    readonly env: unknown;
    readonly db: unknown;
    readonly lastSize: number;
    getBinaryFast(key: Key, options: ReadOptions): FastBytes | undefined;
    batch(run: () => void): Promise<boolean>;
    transactionSync(run: () => unknown): unknown;
    put(key: Key, value: Uint8Array): unknown;
    remove(key: Key): unknown;
    readerCheck(): number;
    close(): Promise<void>;
}
export interface DatabaseOptions {
    readonly path: string;
    readonly isDurable: boolean;
    readonly mapBytes: number;
}
export declare class Database {
    #private;
    constructor({ path, isDurable, mapBytes }: DatabaseOptions);
    /** A snapshot of the newest committed state. Give it back with `release`. */
    acquire(): LmdbSnapshot;
    release(snapshot: LmdbSnapshot): void;
    /** One atomic commit; resolves when it is durable. */
    commit(writes: ReadonlyMap<Key, Buffer | null>): Promise<void>;
    /**
     * Finishes what a process that died in a commit has left: LMDB may have written the new state without having
     * told it to readers, and tells it only when the next write transaction begins. So one is begun, and given up.
     */
    recover(): void;
    /** False once LMDB could not write its own page: it then refuses to begin any transaction. */
    isSound(): boolean;
    /** Frees the reader slots of processes that died: they would keep old pages from being used again. */
    forgetDeadReaders(): void;
    close(): Promise<void>;
}
export declare class LmdbSnapshot implements Snapshot {
    #private;
    constructor(raw: RawDatabase, transaction: NativeTransaction);
    renew(): void;
    reset(): void;
    abort(): void;
    get(key: Key): Buffer | undefined;
    /** The cursor finds keys only; values are fetched by key, which is cheaper than the package's own ranges. */
    page({ from, to, reverse }: Range, limit: number): Entry[];
}
export {};
