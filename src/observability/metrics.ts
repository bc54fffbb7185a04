import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import { assert } from "../base/assert.ts";
import type { Millis } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * Metrics for Prometheus. A request increments two plain numbers, one for its status and one for its latency
 * bucket; the counters of prom-client hash their labels on each call, which costs more than all the rest.
 * Everything else is read at a scrape.
 *
 * With several workers, each sends its `snapshotMetrics()`, and the supervisor prints `mergeMetrics([...])`.
 */
export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];

const LATENCY_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

/** How the series of several workers become one: "max" where all report the same value. */
export type Aggregate = "sum" | "max";

class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > bounds[index]!) index++;
    this.#counts[index]! += 1;
    this.#sum += value;
  }

  get count(): number {
    return this.#counts.reduce((total, count) => total + count, 0);
  }

  /** The format of Prometheus: each bucket counts all values up to its bound. */
  values(name: string, labels: Record<string, string>): MetricValue<string>[] {
    let total = 0;
    const values = [...this.#counts].map((count, index) => {
      total += count;
      const le = index < this.#bounds.length ? this.#bounds[index]! : "+Inf";
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total };
    });
    return [
      ...values,
      { metricName: `${name}_sum`, labels: { ...labels }, value: this.#sum },
      { metricName: `${name}_count`, labels: { ...labels }, value: total },
    ] as MetricValue<string>[];
  }
}

const STATUS_MIN = 100;
const STATUS_MAX = 599;

/** The meter of one row of an operation table: fetched once, when the table is built. */
export class OperationMeter {
  readonly service: string;
  readonly operation: string;
  readonly latency = new Histogram(LATENCY_BOUNDS);
  readonly #byStatus = new Float64Array(STATUS_MAX - STATUS_MIN + 1);

  constructor(service: string, operation: string) {
    this.service = service;
    this.operation = operation;
  }

  /** An unused operation has no series: the tables have far more rows than a client uses. */
  get isUsed(): boolean {
    return this.latency.count > 0;
  }

  record(status: number, duration: Millis): void {
    this.#byStatus[status - STATUS_MIN]! += 1; // a status outside of the array is not counted
    this.latency.observe(duration / 1_000);
  }

  *counts(): Iterable<{ status: number; count: number }> {
    for (const [index, count] of this.#byStatus.entries())
      if (count > 0) yield { status: index + STATUS_MIN, count };
  }
}

export interface Reading {
  readonly name: string;
  readonly help: string;
  readonly aggregate?: Aggregate;
  readonly labels?: Readonly<Record<string, string>>;
  /** Called at a scrape only. */
  readonly read: () => number | Promise<number>;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #meters = new Map<string, OperationMeter>();
  readonly #readings = new Map<string, Reading[]>();
  /** Transactions in each commit of the store. */
  readonly batchSizes = new Histogram(BATCH_BOUNDS);

  constructor(options: { withProcess?: boolean } = {}) {
    const meters = this.#meters;
    new Counter({
      name: "holdfast_requests_total",
      help: "Requests answered, by service, operation and status.",
      labelNames: ["service", "operation", "status"],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const meter of meters.values())
          for (const { status, count } of meter.counts())
            this.inc({ service: meter.service, operation: meter.operation, status }, count);
      },
    });
    this.#histogram(
      "holdfast_request_seconds",
      "Time from the request's headers to the end of its answer.",
      (name) =>
        [...meters.values()]
          .filter(({ isUsed }) => isUsed)
          .flatMap((meter) =>
            meter.latency.values(name, { service: meter.service, operation: meter.operation }),
          ),
    );
    this.#histogram("holdfast_store_batch_transactions", "Transactions in one durable commit.", (name) =>
      this.batchSizes.values(name, {}),
    );
    if (options.withProcess ?? true) collectDefaultMetrics({ register: this.#registry });
  }

  operation(service: string, operation: string): OperationMeter {
    const key = `${service} ${operation}`;
    let meter = this.#meters.get(key);
    if (meter === undefined) {
      assert(this.#meters.size < LIMITS.meteredOperationsMax, () => `too many metered operations: ${key}`);
      meter = new OperationMeter(service, operation);
      this.#meters.set(key, meter);
    }
    return meter;
  }

  watchCounter(reading: Reading): void {
    this.#watch("counter", reading);
  }

  /** Readings of one name differ in their labels. */
  watchGauge(reading: Reading): void {
    this.#watch("gauge", reading);
  }

  watchStore(
    stats: () => { commits: number; transactions: number; bytes: number; roundTrips?: number },
    { hasRoundTrips = false }: { readonly hasRoundTrips?: boolean } = {},
  ): void {
    const read = (name: string, help: string, pick: () => number) =>
      this.watchCounter({ name, help, read: pick });
    read("holdfast_store_commits_total", "Durable commits of the store.", () => stats().commits);
    read("holdfast_store_transactions_total", "Transactions committed.", () => stats().transactions);
    read("holdfast_store_bytes_total", "Bytes of records committed.", () => stats().bytes);
    if (!hasRoundTrips) return;
    const help = "Round trips to the database, for records, payload and heartbeats.";
    read("holdfast_store_round_trips_total", help, () => stats().roundTrips ?? 0);
  }

  /** Every worker reports the same extents, so the maximum counts, not the sum. */
  watchExtents(stats: () => Promise<{ liveBytes: number; deadBytes: number }>): void {
    const name = "holdfast_extent_bytes";
    const help = "Payload bytes in extents: live ones are referenced, dead ones wait to be reclaimed.";
    const gauge = (state: string, read: () => Promise<number>) =>
      this.watchGauge({ name, help, aggregate: "max", labels: { state }, read });
    gauge("live", async () => (await stats()).liveBytes);
    gauge("dead", async () => (await stats()).deadBytes);
  }

  watchConnections(service: string, count: () => number): void {
    const help = "Connections open now.";
    this.watchGauge({ name: "holdfast_connections_open", help, labels: { service }, read: count });
  }

  watchRefusedConnections(service: string, count: () => number): void {
    const help = "Connections refused because too many were open.";
    this.watchCounter({ name: "holdfast_connections_refused_total", help, labels: { service }, read: count });
  }

  watchEvictedConnections(count: () => number): void {
    const help = "Connections without a request that were closed because too many were open.";
    this.watchCounter({ name: "holdfast_connections_evicted_total", help, read: count });
  }

  watchUnsentReplies(frontEnd: "http" | "smb", bytes: () => number): void {
    const help = "Bytes of replies that are being built or that clients have not read yet.";
    this.watchGauge({ name: "holdfast_unsent_reply_bytes", help, labels: { frontEnd }, read: bytes });
  }

  /** All metrics as plain data, for the supervisor. */
  async snapshotMetrics(): Promise<MetricsSnapshot> {
    const metrics = (await this.#registry.getMetricsAsJSON()) as unknown as MetricsSnapshot;
    // NaN (no sample yet) would become null on the way to another process.
    return metrics.map((metric) => ({
      ...metric,
      values: metric.values.filter(({ value }) => Number.isFinite(value)),
    }));
  }

  #watch(type: "counter" | "gauge", reading: Reading): void {
    const existing = this.#readings.get(reading.name);
    if (existing !== undefined) {
      existing.push(reading);
      return;
    }
    const readings = [reading];
    this.#readings.set(reading.name, readings);
    const config = {
      name: reading.name,
      help: reading.help,
      labelNames: Object.keys(reading.labels ?? {}),
      aggregator: reading.aggregate ?? ("sum" as const),
      registers: [this.#registry],
    };
    async function collect(this: Counter | Gauge): Promise<void> {
      const values = await Promise.all(
        readings.map(async ({ labels, read }) => ({ labels, value: await read() })),
      );
      this.reset();
      for (const { labels, value } of values) this.inc({ ...labels }, value);
    }
    if (type === "counter") new Counter({ ...config, collect });
    else new Gauge({ ...config, collect });
  }

  #histogram(name: string, help: string, values: (name: string) => MetricValue<string>[]): void {
    const metric = {
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      get: async () => ({ name, help, type: "histogram", aggregator: "sum", values: values(name) }),
      reset: () => {},
    };
    // The registry needs only this shape; prom-client makes its aggregated metrics the same way.
    this.#registry.registerMetric(metric as unknown as Counter);
  }
}

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** The text for Prometheus, of one process or several. */
export function mergeMetrics(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}
