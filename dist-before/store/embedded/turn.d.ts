import type { WriteTurn } from "../serial-writer.ts";
/**
 * Who may write, among processes that share one embedded store. A supervisor holds the turn and lends it to one
 * process at a time; the holder keeps it until another one asks, finishes the batch under way, and gives it back.
 * One writer at a time is faster than two that meet at LMDB's lock (docs/decisions/0002), and it lets each
 * process run its transactions in memory, knowing that nobody else moves the state under it.
 *
 * A process that dies with the turn has either committed or not; LMDB tells which, and the turn goes on.
 */
export interface TurnMessage {
    readonly turn: string;
    readonly do: "want" | "done" | "grant" | "yield";
}
export declare function isTurnMessage(message: unknown): message is TurnMessage;
/** The side of a process that wants to write. Feed it every message that names its turn. */
export declare class TurnClient implements WriteTurn {
    #private;
    constructor(name: string, send: (message: TurnMessage) => void);
    acquire(): Promise<void>;
    isHeld(): boolean;
    isWanted(): boolean;
    release(): void;
    onWanted(wake: () => void): void;
    receive(message: TurnMessage): void;
}
/**
 * Opens a store that other processes have open. While LMDB opens, it tells every process which transaction is the
 * newest, as it has just read it (ITS#9496, in the copy that the `lmdb` package carries): a commit of another
 * process in that moment would be forgotten, though it was acknowledged, and then written over. So nobody may
 * commit meanwhile: whoever opens holds the turns.
 */
export declare function inTurn<T>(turns: readonly WriteTurn[], open: () => T): Promise<T>;
/** The side of the supervisor: first come, first served. */
export declare class TurnArbiter {
    #private;
    constructor(send: (process: number, message: TurnMessage) => void);
    receive(process: number, message: TurnMessage): void;
    /** The process is gone for good; its number is not used for another one. */
    forget(process: number): void;
}
