import { type Clock, type Instant, type Millis, monotonic } from "../../base/clock.ts";

interface Sample {
  /** The database's clock minus ours. */
  readonly offset: Millis;
  /** The time the answer took: the error of the offset is at most half of it. */
  readonly roundTrip: Millis;
}

const SAMPLES_MAX = 16;

/**
 * An estimate of the database's clock. Leases, visibility and expiry use it, so that members with different
 * clocks agree: each heartbeat asks the database for its time, and the fastest of the last answers counts.
 * Two members then differ by at most half the round trip of each.
 */
export class DatabaseClock implements Clock {
  readonly #local: Clock;
  #samples: Sample[] = [];
  #offset: Millis = 0;

  constructor(local: Clock) {
    this.#local = local;
  }

  now(): Instant {
    return Math.round(this.#local.now() + this.#offset);
  }

  /** `ask` returns the database's time in milliseconds. */
  async measure<T>(ask: () => Promise<{ readonly at: Instant; readonly answer: T }>): Promise<T> {
    const began = monotonic();
    const { at, answer } = await ask();
    const roundTrip = monotonic() - began;
    this.#samples.push({ offset: at - (this.#local.now() - roundTrip / 2), roundTrip });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    this.#offset = this.#samples.reduce((best, sample) =>
      sample.roundTrip < best.roundTrip ? sample : best,
    ).offset;
    return answer;
  }

  /** The next answer may come from another machine. */
  forget(): void {
    this.#samples = [];
  }
}
