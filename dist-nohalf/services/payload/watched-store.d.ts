import type { EphemeralSpace, Reader, Store, StoreFigures, Writer } from "../../store/kv.ts";
/**
 * A store that knows which of its reads are still going on. A file may be removed only when nobody can hold a
 * snapshot that still points into it, and between the start of a read and its call of `open` nobody but the
 * store knows about that reader. Reads are counted by generation; asking closes one and waits for it to drain.
 */
export declare class WatchedStore implements Store {
    #private;
    constructor(inner: Store);
    get ephemeral(): EphemeralSpace;
    read<T>(fn: (read: Reader) => Promise<T>): Promise<T>;
    /** Resolves when every read that had begun before this call has ended. */
    readsEnded(): Promise<void>;
    write<T>(fn: (write: Writer) => Promise<T>): Promise<T>;
    figures(): StoreFigures;
    watchCommits(listener: (transactions: number) => void): void;
    close(): Promise<void>;
}
