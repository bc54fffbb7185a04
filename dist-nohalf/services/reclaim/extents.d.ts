import type { Timers } from "../../base/clock.ts";
import type { PayloadService } from "../payload/payload-service.ts";
export interface ReclaimReport {
    /** Extents whose files are gone. */
    readonly removed: number;
    readonly movedBytes: number;
    /** Extents that are empty and wait for readers, here or in another process. */
    readonly waiting: number;
}
/**
 * Gives space back. Every process answers requests for removal and seals its own open extent when that is mostly
 * dead; one process at a time also compacts and removes. Each step does a bounded amount of work.
 */
export declare class ExtentReclaimer {
    #private;
    constructor(payload: PayloadService);
    /** Before the first read of this process. */
    join(): Promise<void>;
    start(timers: Timers): void;
    /** Waits for the step under way, leaves the list of processes, and lets another one reclaim. */
    stop(): Promise<void>;
    /** What every process does: its part in the others' removals, and its own open extent. */
    attend(): Promise<void>;
    /** Compacts what is worth it, then removes what is empty. */
    reclaimOnce(): Promise<ReclaimReport>;
}
