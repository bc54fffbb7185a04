import { type Millis, monotonic, systemTimers, type Timer } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";

/** Logs a long wait: soon after it begins, at intervals, and when it ends. */
export class WaitReport {
  /** Why the wait continues. */
  reason = "no answer yet";
  readonly #log: Log;
  readonly #what: string;
  readonly #beganAt = monotonic();
  #timer: Timer;
  #isReported = false;

  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
    this.#timer = systemTimers.after(LIMITS.databaseFirstReportMillis, () => {
      this.#report();
      this.#timer = systemTimers.every(LIMITS.databaseReportMillis, () => this.#report());
    });
  }

  get waitedMillis(): Millis {
    return monotonic() - this.#beganAt;
  }

  #report(): void {
    this.#isReported = true;
    this.#log.warn({}, `${this.#what}: ${this.reason}; trying again (for ${this.#seconds()} s so far)`);
  }

  #seconds(): number {
    return Math.round(this.waitedMillis / 1_000);
  }

  end(): void {
    this.#timer.cancel();
    if (this.#isReported) this.#log.info({}, `${this.#what}: over after ${this.#seconds()} s`);
  }
}
