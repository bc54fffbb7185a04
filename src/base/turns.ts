import { type Millis, pause } from "./clock.ts";

/**
 * Long computations give way to everybody else. A request takes several turns of the event loop, and must not meet one
 * of them in each: so they rest between their parts, and of all that wait here one goes on at a time, so that ten of
 * them delay other requests no more than one does.
 */
export class Turns {
  readonly #rest: Millis;
  #last: Promise<void> = Promise.resolve();

  constructor(rest: Millis) {
    this.#rest = rest;
  }

  next(): Promise<void> {
    this.#last = this.#last.then(() => pause(this.#rest));
    return this.#last;
  }
}
