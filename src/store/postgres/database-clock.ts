import { type Clock, type Instant, type Millis, monotonic } from "../../base/clock.ts";

interface Sample {
  /** What to add to our clock to get the database's. */
  readonly offset: Millis;
  /** The database answered within this time, so the offset is wrong by half of it at most. */
  readonly roundTrip: Millis;
}

const SAMPLES_MAX = 16;

/**
 * The clock of the database, as near as a node can know it. Leases, visibility and expiry are decided by it, so
 * nodes whose own clocks differ agree: with each heartbeat the node asks the database for its time and believes
 * the quickest answer of the last few. Two nodes are then apart by no more than half the round trip of each.
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

  /** `ask` answers with the database's time, in milliseconds. */
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
