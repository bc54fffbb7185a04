import { systemTimers, type Timer, type Timers } from "../base/clock.ts";
import type { ConnectionLimitReport } from "../base/connection-limit.ts";
import { LIMITS } from "../base/limits.ts";
import { type Log, silentLog } from "./log.ts";

/**
 * Logs refused and closed connections: the first at once, later ones as one line with counts for each
 * `LIMITS.connectionReportMillis`.
 */
export class ConnectionReport implements ConnectionLimitReport {
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #connectionsMax: number;
  #refused = 0;
  #evicted = 0;
  #failed = 0;
  #lastFailure: string | undefined;
  #pause: Timer | undefined;
  /** Connections closed for new ones since the start. */
  evictedTotal = 0;

  constructor({
    log = silentLog,
    timers = systemTimers,
    connectionsMax,
  }: {
    readonly log?: Log;
    readonly timers?: Timers;
    readonly connectionsMax: number;
  }) {
    this.#log = log;
    this.#timers = timers;
    this.#connectionsMax = connectionsMax;
  }

  note(what: "refused" | "evicted"): void {
    if (what === "refused") this.#refused++;
    else {
      this.#evicted++;
      this.evictedTotal++;
    }
    if (this.#pause === undefined) this.#print();
  }

  /** The system could not accept a connection for lack of descriptors or memory. */
  noteFailure(error: Error): void {
    this.#failed++;
    this.#lastFailure = error.message;
    if (this.#pause === undefined) this.#print();
  }

  #print(): void {
    const refused = this.#refused;
    const evicted = this.#evicted;
    const failed = this.#failed;
    this.#refused = 0;
    this.#evicted = 0;
    this.#failed = 0;
    this.#pause = this.#timers.after(LIMITS.connectionReportMillis, () => {
      this.#pause = undefined;
      if (this.#refused + this.#evicted + this.#failed > 0) this.#print();
    });
    const max = this.#connectionsMax;
    const connectionsMax = Number.isFinite(max) ? max : undefined;
    if (refused + evicted > 0)
      this.#log.warn(
        { refused, closedWithoutRequest: evicted, connectionsMax },
        "too many connections: new ones are refused, or replace connections that have sent no request",
      );
    if (failed > 0)
      this.#log.warn({ failed, reason: this.#lastFailure }, "connections could not be accepted");
  }
}
