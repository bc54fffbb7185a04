import { type Clock, type Timers } from "./base/clock.ts";
import type { Log } from "./base/log.ts";
import { type Random } from "./base/random.ts";
import type { StoreChoice } from "./options.ts";
import type { ServiceParts } from "./services/parts.ts";
import { Chores } from "./services/reclaim/chores.ts";
import type { Store } from "./store/kv.ts";
import type { WriteTurn } from "./store/serial-writer.ts";
/** Everything below the front ends, open in one process: the store, the payload, and the work in the background. */
export interface RuntimeOptions {
    readonly choice: StoreChoice;
    readonly owner: string;
    readonly log: Log;
    readonly onFatal: (error: unknown) => void;
    readonly turns?: {
        readonly records: WriteTurn;
        readonly ephemeral: WriteTurn;
    } | undefined;
    readonly clock?: Clock;
    readonly random?: Random;
    /** What starts the chores of the services; a test that takes their steps itself gives some that never fire. */
    readonly choreTimers?: Timers;
}
export declare class Runtime {
    #private;
    readonly parts: ServiceParts;
    readonly chores: Chores;
    readonly engine: Store;
    constructor(options: RuntimeOptions);
    /** Once for a data directory, before anything is served: brings files and records together after a crash. */
    recoverAll(): Promise<void>;
    /** Releases what processes left behind that died while we live. */
    releaseDead(owners: readonly string[]): Promise<void>;
    payloadFigures(): Promise<{
        liveBytes: number;
        deadBytes: number;
    }>;
    start(): Promise<void>;
    /** After the front ends have closed. */
    close(): Promise<void>;
}
