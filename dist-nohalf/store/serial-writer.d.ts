import type { Clock } from "../base/clock.ts";
import type { Key, StoreFigures, Writer } from "./kv.ts";
import { type Snapshot } from "./overlay.ts";
/**
 * How the engines of one machine write: transactions run one after another, in memory, each on top of the
 * pending writes of those before it; a whole batch of them becomes one commit and one sync. While a batch is on
 * its way to the disk, the next one is already being run on top of it.
 *
 *   queue -> run (serial) -> filling batch -> commit (one at a time) -> every caller hears
 *
 * Serial execution is serializable by construction and never conflicts. Nobody is answered, with a result or
 * with a refusal, before everything the transaction could have seen is durable: a refusal may tell of a write
 * that is still on its way. If a commit fails, its callers hear a fault; transactions that ran on top of it run
 * again.
 */
export interface CommitTarget {
    /** The newest committed state; called after each commit. */
    refresh(): Snapshot;
    /** The same when the turn to write has come: after whatever others did, or died in the middle of. */
    takeOver(): Snapshot;
    /** Nothing is read until the next `refresh`: lets go of the snapshot, which may hold old pages in use. */
    rest(): void;
    /** Makes all of it durable, atomically, or rejects having written nothing. */
    commit(writes: ReadonlyMap<Key, Buffer | null>): Promise<void>;
}
/**
 * The right to write, when several processes share one database. It is kept until another process wants it, so
 * a process that writes alone asks once.
 */
export interface WriteTurn {
    acquire(): Promise<void>;
    isHeld(): boolean;
    isWanted(): boolean;
    release(): void;
    /** Called when another process begins to wait. */
    onWanted(wake: () => void): void;
}
/** Where the highest revision is kept: written with each batch that made one. */
export declare const REVISION_KEY: Key;
export declare class SerialWriter {
    #private;
    constructor(target: CommitTarget, clock: Clock, turn?: WriteTurn);
    write<T>(fn: (write: Writer) => Promise<T>): Promise<T>;
    figures(): StoreFigures;
    watchCommits(listener: (transactions: number) => void): void;
    close(): Promise<void>;
}
