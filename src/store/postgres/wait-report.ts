import { type Millis, monotonic, systemTimers, type Timer } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";

/** Says that something is waited for: soon, then now and then, and when the wait is over. */
export class WaitReport {
  /** Why the wait goes on, as far as is known. */
  reason = "no answer yet";
  readonly #log: Log;
  readonly #what: string;
  readonly #beganAt = monotonic();
  #timer: Timer;
  #isSaid = false;

  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
    this.#timer = systemTimers.after(LIMITS.databaseFirstReportMillis, () => {
      this.#say();
      this.#timer = systemTimers.every(LIMITS.databaseReportMillis, () => this.#say());
    });
  }

  get waitedMillis(): Millis {
    return monotonic() - this.#beganAt;
  }

  #say(): void {
    this.#isSaid = true;
    this.#log.warn({}, `${this.#what}: ${this.reason}; trying again (for ${this.#seconds()} s so far)`);
  }

  #seconds(): number {
    return Math.round(this.waitedMillis / 1_000);
  }

  end(): void {
    this.#timer.cancel();
    if (this.#isSaid) this.#log.info({}, `${this.#what}: over after ${this.#seconds()} s`);
  }
}
