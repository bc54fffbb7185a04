import { type MetricObjectWithValues, type MetricValue } from "prom-client";
import type { Millis } from "./clock.ts";
/**
 * Figures for Prometheus. The hot path touches plain numbers only: one slot for the status, one for the latency
 * bucket (prom-client's own counters hash their labels on each call, which costs more than all the rest).
 * Everything else is read when somebody scrapes.
 *
 * With several workers each takes a `snapshotMetrics()`, and the supervisor prints `mergeMetrics([...])`.
 */
export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];
/** How the same series of several workers become one: added up, or the largest when all see the same thing. */
export type Aggregate = "sum" | "max";
export declare class Bins {
    #private;
    constructor(bounds: readonly number[]);
    observe(value: number): void;
    get count(): number;
    /** As Prometheus wants them: each bucket counts everything up to its bound. */
    values(name: string, labels: Record<string, string>): MetricValue<string>[];
}
/** One row of an operation table. Take it once, when the table is built; `record` is for every request. */
export declare class OperationMeter {
    #private;
    readonly service: string;
    readonly operation: string;
    readonly latency: Bins;
    constructor(service: string, operation: string);
    /** An operation nobody asked for has no series: the tables have far more rows than a client uses. */
    get isUsed(): boolean;
    record(status: number, duration: Millis): void;
    counts(): Iterable<{
        status: number;
        count: number;
    }>;
}
export interface Reading {
    readonly name: string;
    readonly help: string;
    readonly aggregate?: Aggregate;
    readonly labels?: Readonly<Record<string, string>>;
    /** Called at scrape time only. */
    readonly read: () => number | Promise<number>;
}
export declare class Metrics {
    #private;
    /** Transactions in each commit of the store. */
    readonly batchSizes: Bins;
    constructor(options?: {
        withProcess?: boolean;
    });
    /** The meter of an operation; the same one for the same names. */
    operation(service: string, operation: string): OperationMeter;
    /** A figure that only grows, read when scraped. */
    watchCounter(reading: Reading): void;
    /** A figure that goes up and down, read when scraped. Readings of one name differ in their labels. */
    watchGauge(reading: Reading): void;
    watchStore(figures: () => {
        commits: number;
        transactions: number;
        bytes: number;
    }): void;
    /** Every worker sees the same extents, so the largest figure counts, not the sum. */
    watchExtents(figures: () => Promise<{
        liveBytes: number;
        deadBytes: number;
    }>): void;
    watchConnections(service: string, count: () => number): void;
    /** All figures as plain data, to be sent to the supervisor. */
    snapshotMetrics(): Promise<MetricsSnapshot>;
}
export declare const METRICS_CONTENT_TYPE: "text/plain; version=0.0.4; charset=utf-8";
/** The text for Prometheus of one process or of several together. */
export declare function mergeMetrics(snapshots: readonly MetricsSnapshot[]): Promise<string>;
