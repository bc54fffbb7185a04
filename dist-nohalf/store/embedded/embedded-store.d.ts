import { type Clock } from "../../base/clock.ts";
import type { EphemeralSpace, Reader, Store, StoreFigures, Writer } from "../kv.ts";
import { type WriteTurn } from "../serial-writer.ts";
export interface EmbeddedOptions {
    readonly directory: string;
    readonly clock?: Clock;
    /** Names this process among those that share the directory. */
    readonly owner: string;
    /** The turns to write, when other processes share the directory. Both are held while it opens: see `inTurn`. */
    readonly turns?: {
        readonly records: WriteTurn;
        readonly ephemeral: WriteTurn;
    };
    /** A sync failed: what is on disk can no longer be told, so the process must stop and not answer. */
    readonly onFatal: (error: unknown) => void;
}
export declare class EmbeddedStore implements Store {
    #private;
    readonly ephemeral: EphemeralSpace;
    constructor({ directory, clock, owner, turns, onFatal }: EmbeddedOptions);
    read<T>(fn: (read: Reader) => Promise<T>): Promise<T>;
    write<T>(fn: (write: Writer) => Promise<T>): Promise<T>;
    figures(): StoreFigures;
    watchCommits(listener: (transactions: number) => void): void;
    /** After another process died. */
    forgetDeadReaders(): void;
    close(): Promise<void>;
}
