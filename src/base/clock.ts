/**
 * Time enters here and nowhere else, so a test can move it: a 60-second lease expires in a microsecond.
 *
 * An `Instant` is milliseconds since 1970 by the wall clock. A `Millis` is a length of time.
 */
export type Instant = number;
export type Millis = number;

export interface Clock {
  now(): Instant;
}

export interface Timer {
  cancel(): void;
}

/** Timers that a test may fire by hand. None of them keeps the process alive by itself. */
export interface Timers {
  after(delay: Millis, run: () => void): Timer;
  every(interval: Millis, run: () => void): Timer;
}

export const systemClock: Clock = { now: () => Date.now() };

export const systemTimers: Timers = {
  after(delay, run) {
    const handle = setTimeout(run, delay);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
  every(interval, run) {
    const handle = setInterval(run, interval);
    handle.unref();
    return { cancel: () => clearInterval(handle) };
  },
};

export const seconds = (count: number): Millis => count * 1_000;

/** Waits by the real clock: for retries and polling, never for a rule of the protocol. */
export function pause(delay: Millis): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delay));
}

/** For measuring durations: not a wall clock, never goes back. */
export function monotonic(): Millis {
  return performance.now();
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: Instant;
  constructor(start: Instant = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }
  now(): Instant {
    return this.#now;
  }
  advance(by: Millis): void {
    this.#now += by;
  }
  set(to: Instant): void {
    this.#now = to;
  }
}
