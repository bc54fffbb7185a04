import { type Millis, pause } from "./clock.ts";

const ROUNDS_MAX = 3;
const BUSY_SHARE = 0.2;

/**
 * Lets long computations pause for other requests. A request takes several ticks of the event loop and must
 * not meet a computation in each of them, so a computation rests between its steps. Only one of all waiting
 * computations continues at a time: ten of them delay other requests no more than one does.
 */
export class CooperativeScheduler {
  readonly #rest: Millis;
  #last: Promise<void> = Promise.resolve();

  constructor(rest: Millis) {
    this.#rest = rest;
  }

  yieldToEventLoop(): Promise<void> {
    this.#last = this.#last.then(() => this.#yield());
    return this.#last;
  }

  /** Rests longer while the event loop is busy. */
  async #yield(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = performance.eventLoopUtilization();
      await pause(this.#rest);
      if (performance.eventLoopUtilization(before).utilization < BUSY_SHARE) return;
    }
  }
}
