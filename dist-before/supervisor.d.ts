import type { Log } from "./base/log.ts";
import type { MetricsSnapshot } from "./base/metrics.ts";
import { type ConnectionSpreader } from "./spread-connections.ts";
/**
 * Several worker processes on one embedded store. The supervisor serves nobody: it starts the workers, lends the
 * turns to write, tells survivors of the dead so that what they held is released, and starts a worker anew.
 * It accepts the connections and hands them out in turn (spread-connections.ts).
 */
export type WorkerReport = {
    readonly report: "ready";
    readonly owner: string;
} | {
    readonly report: "released";
    readonly owners: readonly string[];
} | {
    readonly report: "metrics";
    readonly id: number;
    readonly snapshot: MetricsSnapshot;
} | {
    readonly report: "failed";
    readonly message: string;
};
export type WorkerOrder = {
    readonly order: "release";
    readonly owners: readonly string[];
} | {
    readonly order: "metrics";
    readonly id: number;
} | {
    readonly order: "reload";
} | {
    readonly order: "stop";
};
export interface SupervisorOptions {
    readonly workers: number;
    /** Of the data directory's lock. A worker that inherits it keeps others out as long as it lives. */
    readonly lockDescriptor: number | undefined;
    readonly log: Log;
    readonly connections: ConnectionSpreader;
    /** All workers serve. */
    readonly onReady: () => void;
    /** No way to go on. */
    readonly onGivenUp: (message: string) => void;
}
export declare class Supervisor {
    #private;
    constructor(options: SupervisorOptions);
    start(): void;
    get readyCount(): number;
    tellAll(order: WorkerOrder): void;
    /** The figures of every worker that answers in time. */
    metrics(): Promise<MetricsSnapshot[]>;
    stop(): Promise<void>;
}
