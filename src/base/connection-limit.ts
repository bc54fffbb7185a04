import { systemTimers, type Timer, type Timers } from "./clock.ts";
import { LIMITS } from "./limits.ts";
import { type Log, silentLog } from "./log.ts";

/**
 * How many connections may be open: those of one listener, and those of all listeners of a process together
 * (`parent`), which the descriptors of the process limit. A client proves nothing by connecting: where a limit is
 * reached, the oldest connection that has asked for nothing yet is closed for the new one; without such a connection
 * the new one is refused.
 */
export interface Evictable {
  /** Closes the connection at once; it has left its limit (`remove`) when this returns. */
  evict(): void;
}

export interface ConnectionLimitOptions {
  readonly max: number;
  readonly parent?: ConnectionLimit | undefined;
  readonly report?: ConnectionReport | undefined;
}

export class ConnectionLimit {
  readonly #max: number;
  readonly #parent: ConnectionLimit | undefined;
  readonly #report: ConnectionReport | undefined;
  /** Connections that have asked for nothing yet, the oldest first. */
  readonly #silent = new Set<Evictable>();
  #open = 0;
  #refused = 0;

  constructor({ max, parent, report }: ConnectionLimitOptions) {
    this.#max = max;
    this.#parent = parent;
    this.#report = report;
  }

  /** Connections that were not admitted, since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether one more connection may be added, which the caller then does. May close another one for it. */
  admit(): boolean {
    if (this.#hasPlace() && (this.#parent === undefined || this.#parent.#hasPlace())) return true;
    this.#refused++;
    this.#report?.note("refused");
    return false;
  }

  #hasPlace(): boolean {
    if (this.#open < this.#max) return true;
    const [oldest] = this.#silent;
    if (oldest === undefined) return false;
    oldest.evict();
    this.#report?.note("evicted");
    return this.#open < this.#max;
  }

  /** A new connection, which is silent. */
  add(connection: Evictable): void {
    this.#open++;
    this.#silent.add(connection);
    this.#parent?.add(connection);
  }

  /** The connection has sent a request, or has logged in: from now on it does not give way. */
  heard(connection: Evictable): void {
    if (this.#silent.size > 0 && this.#silent.delete(connection)) this.#parent?.heard(connection);
  }

  /** Once for each connection that was added. */
  remove(connection: Evictable): void {
    this.#open--;
    this.#silent.delete(connection);
    this.#parent?.remove(connection);
  }
}

/**
 * Logs that connections were turned away: the first time at once, then one line with the counts in each
 * `LIMITS.connectionReportMillis` in which there were more.
 */
export class ConnectionReport {
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #connectionsMax: number;
  #refused = 0;
  #evicted = 0;
  #failed = 0;
  #lastFailure: string | undefined;
  #pause: Timer | undefined;
  /** Silent connections that were closed for new ones, since the start. */
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

  /** The system could not accept a connection: it has no descriptor or no memory for it. */
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
        "too many connections: new ones are refused, or take the place of those that have sent no request",
      );
    if (failed > 0)
      this.#log.warn({ failed, reason: this.#lastFailure }, "connections could not be accepted");
  }
}
