import { type Millis, pause } from "./clock.ts";

const ROUNDS_MAX = 3;
const BUSY_SHARE = 0.2;

/**
 * Long computations give way to everybody else. A request takes several turns of the event loop, and must not
 * meet one of them in each: so they rest between their parts, and of all that wait here one goes on at a
 * time, so that ten of them delay other requests no more than one does.
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

  /** Longer while others have work to do. */
  async #yield(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = performance.eventLoopUtilization();
      await pause(this.#rest);
      if (performance.eventLoopUtilization(before).utilization < BUSY_SHARE) return;
    }
  }
}
