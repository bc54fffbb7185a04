import { availableParallelism } from "node:os";
import { type Millis, monotonic } from "./clock.ts";
import { LIMITS } from "./limits.ts";

export interface AwakeOptions {
  readonly now?: () => Millis;
  /** Runs something in the next turn of the event loop. */
  readonly nextTurn?: (run: () => void) => void;
  readonly cores?: number;
}

/**
 * Keeps the event loop turning for a moment after a message, while clients send their next one as soon as they have their
 * answer. A processor that goes to sleep in between has to be woken, which on a virtual machine takes as long as many a
 * request (docs/decisions/0042). Messages that come now and then keep nobody awake, and where there is one processor
 * only, the client needs it.
 */
export class Awake {
  readonly #now: () => Millis;
  readonly #nextTurn: (run: () => void) => void;
  readonly #isOff: boolean;
  #messageAt = Number.NEGATIVE_INFINITY;
  #until = 0;
  #isTurning = false;

  constructor({
    now = monotonic,
    nextTurn = setImmediate,
    cores = availableParallelism(),
  }: AwakeOptions = {}) {
    this.#now = now;
    this.#nextTurn = nextTurn;
    this.#isOff = cores === 1;
  }

  /** A message of so many bytes has come, or is about to leave. Long ones are work for everybody's threads, not a wait. */
  stir(bytes: number): void {
    if (this.#isOff) return;
    if (bytes > LIMITS.awakeBytesMax) {
      this.#messageAt = Number.NEGATIVE_INFINITY;
      this.#until = 0;
      return;
    }
    const now = this.#now();
    const isSoon = now - this.#messageAt <= LIMITS.soonMillis;
    this.#messageAt = now;
    if (!isSoon) return;
    this.#until = now + LIMITS.awakeMillis;
    if (this.#isTurning) return;
    this.#isTurning = true;
    this.#nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isTurning = this.#now() < this.#until;
    if (this.#isTurning) this.#nextTurn(this.#turn);
  };
}
