import type { Timer, Timers } from "../base/clock.ts";
import { type CacheConflict, type CacheState } from "../concurrency/cache-lease.ts";
import type { FileOpen } from "./open.ts";
/**
 * Files that SMB clients have open in this process, with the caches (oplocks and leases) those clients hold and the
 * requests that wait for a byte-range lock. Which cache goes when is decided in src/concurrency/cache-lease.ts; here
 * breaks are sent, answers awaited, and silence ended after its time.
 */
export interface LeaseName {
    readonly client: Buffer;
    readonly key: Buffer;
}
/** One oplock, or one lease with all the opens that share its key. */
export interface CacheEntry {
    readonly node: OpenedNode;
    readonly lease: (LeaseName & {
        readonly version: 1 | 2;
        readonly parentKey: Buffer;
    }) | undefined;
    readonly opens: Set<FileOpen>;
    state: CacheState;
    epoch: number;
    breaking: Breaking | undefined;
}
interface Breaking {
    readonly to: CacheState;
    readonly timer: Timer;
    readonly done: Promise<void>;
    readonly finish: () => void;
}
export interface OpenedNode {
    readonly name: string;
    readonly opens: Set<FileOpen>;
    readonly caches: Set<CacheEntry>;
    /** Tried again, first come first served, whenever a lock goes. */
    readonly lockWaiters: Set<() => Promise<boolean>>;
}
export type SendBreak = (entry: CacheEntry, to: CacheState, isAnswerNeeded: boolean) => void;
export declare class OpenedNodes {
    #private;
    constructor(timers: Timers, sendBreak: SendBreak);
    get size(): number;
    find(share: bigint, node: bigint): OpenedNode | undefined;
    findLease(name: LeaseName): CacheEntry | undefined;
    /** A lease key names one file: using it for another is a mistake of the client. */
    checkLease(name: LeaseName, node: OpenedNode | undefined): void;
    add(share: bigint, open: FileOpen): OpenedNode;
    remove(share: bigint, open: FileOpen): void;
    /** Gives a new open the cache it may have. A lease that exists under the key is shared, and may grow. */
    grant(node: OpenedNode, open: FileOpen, wish: {
        readonly wanted: CacheState;
        readonly lease: CacheEntry["lease"];
        readonly isStat: (access: number) => boolean;
    }): CacheEntry | undefined;
    /**
     * Breaks what stands in the way of `conflict`, caches under `except` apart. The promise, when there is one, ends
     * once every client that must answer has; then the caller looks again.
     */
    resolve(node: OpenedNode, conflict: CacheConflict, except: (entry: CacheEntry) => boolean): Promise<void> | undefined;
    /** The client's answer to a break. */
    acknowledge(entry: CacheEntry, state: CacheState): void;
    locksChanged(node: OpenedNode): void;
}
export {};
