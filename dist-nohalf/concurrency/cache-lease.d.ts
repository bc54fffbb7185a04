/**
 * What an SMB client may keep in its cache of a file: reads (R), the open handle after the application closed it (H),
 * and writes (W). Leases name these states as they are; oplocks are the older words for some of them: level II is R,
 * exclusive is RW, batch is RWH.
 *
 *   W lives alone: nobody else may have the file open for more than a look at its attributes.
 *   R lives until somebody writes. H lives until somebody is kept out by the handle, or wants the file gone.
 *
 * Taking W or H away needs the client's answer, because it has writes to send or a handle to close. R alone goes
 * without a word.
 */
export type CacheState = number;
export declare const NO_CACHE: CacheState;
export declare const READ_CACHE: CacheState;
export declare const HANDLE_CACHE: CacheState;
export declare const WRITE_CACHE: CacheState;
export interface CacheHolder {
    readonly state: CacheState;
    readonly isLease: boolean;
}
export interface CacheWish {
    readonly wanted: CacheState;
    readonly isLease: boolean;
    /** Somebody else has the file open for more than its attributes. */
    readonly isShared: boolean;
    /** Byte ranges are locked: what a client reads from its cache would not meet them. */
    readonly isLocked: boolean;
    /** Caches of others on this file. */
    readonly others: readonly CacheHolder[];
}
/** What of a wish is granted to a new open. */
export declare function grantCache({ wanted, isLease, isShared, isLocked, others }: CacheWish): CacheState;
/** Why a cache is in somebody's way. */
export type CacheConflict = 
/** Another open that reads or writes. */
"open"
/** Another open that replaces the content. */
 | "overwrite"
/** Another open that the share mode of a cached handle keeps out. */
 | "sharing"
/** A write, a new size, a byte-range lock. */
 | "write"
/** A rename or a delete. */
 | "remove";
export interface CacheBreak {
    readonly to: CacheState;
    /** The other must wait for the client's answer. */
    readonly isAwaited: boolean;
}
/** What is left of a cache after a conflict; undefined when it is not touched. */
export declare function breakCache(state: CacheState, conflict: CacheConflict): CacheBreak | undefined;
/** Whether the client has to answer a break: only reads can be forgotten without a word. */
export declare function needsAnswer(from: CacheState, to: CacheState): boolean;
/** Whether a client may answer a break with this state. */
export declare function isAnswerValid(answer: CacheState, to: CacheState): boolean;
