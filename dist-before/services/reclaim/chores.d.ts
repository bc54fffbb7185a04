import type { Millis, Timers } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { EphemeralSpace } from "../../store/kv.ts";
/**
 * Background work of the services: contents of deleted containers, expired messages, uncommitted blocks. Each run
 * does a bounded amount and says whether there is more; one process at a time does the chores of all.
 */
export interface Chore {
    readonly name: string;
    readonly interval: Millis;
    /** One bounded step. "more" asks for the next step soon. */
    run(): Promise<"more" | "done">;
}
export declare class Chores {
    #private;
    constructor({ ephemeral, timers, log }: {
        ephemeral: EphemeralSpace;
        timers: Timers;
        log: Log;
    });
    add(chore: Chore): void;
    /** Waits for steps under way. */
    stop(): Promise<void>;
}
