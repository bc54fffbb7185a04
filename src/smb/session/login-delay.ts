import type { Clock, Millis, Timers } from "../../base/clock.ts";
import { SMB_LIMITS } from "../limits.ts";

/**
 * Guessing is made slow: each failed login from an address doubles the delay before its next failure is
 * answered. A login that succeeds is never delayed, and the number of addresses is bounded.
 */
export class LoginDelay {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #failures = new Map<string, { count: number; at: number }>();

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  succeeded(address: string): void {
    this.#failures.delete(address);
  }

  /** Waits before a failure is answered. */
  failed(address: string): Promise<void> {
    const delay = this.#count(address);
    return new Promise((resolve) => this.#timers.after(delay, resolve));
  }

  #count(address: string): Millis {
    const now = this.#clock.now();
    const last = this.#failures.get(address);
    const isRecent = last !== undefined && now - last.at < SMB_LIMITS.loginFailureMillis;
    const count = isRecent ? last.count + 1 : 1;
    // Taken out and put in again, so that the map's order is the order of last failures.
    this.#failures.delete(address);
    this.#failures.set(address, { count, at: now });
    if (this.#failures.size > SMB_LIMITS.loginFailuresKept) {
      const oldest = this.#failures.keys().next();
      if (!oldest.done) this.#failures.delete(oldest.value);
    }
    const { loginDelayMillisMin, loginDelayMillisMax } = SMB_LIMITS;
    return Math.min(loginDelayMillisMin * 2 ** Math.min(count - 1, 16), loginDelayMillisMax);
  }
}
