import { type Clock } from "../../base/clock.ts";
import type { EphemeralSpace, KeySpace, Reader, Store, StoreFigures, Writer } from "../kv.ts";
/** One key space in memory: for tests, for --inMemory, and for what need not outlive the process. */
export declare class MemorySpace implements KeySpace {
    #private;
    constructor(clock: Clock);
    read<T>(fn: (read: Reader) => Promise<T>): Promise<T>;
    write<T>(fn: (write: Writer) => Promise<T>): Promise<T>;
    figures(): StoreFigures;
    watchCommits(listener: (transactions: number) => void): void;
    close(): Promise<void>;
}
export declare class MemoryStore implements Store {
    #private;
    readonly ephemeral: EphemeralSpace;
    constructor({ clock, owner }?: {
        clock?: Clock;
        owner?: string;
    });
    read<T>(fn: (read: Reader) => Promise<T>): Promise<T>;
    write<T>(fn: (write: Writer) => Promise<T>): Promise<T>;
    figures(): StoreFigures;
    watchCommits(listener: (transactions: number) => void): void;
    close(): Promise<void>;
}
