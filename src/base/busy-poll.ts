import { availableParallelism } from "node:os";
import { type Millis, monotonic } from "./clock.ts";
import { LIMITS } from "./limits.ts";

export interface BusyPollOptions {
  readonly now?: () => Millis;
  /** Runs something in the next turn of the event loop. */
  readonly nextTick?: (run: () => void) => void;
  readonly cores?: number;
}

/**
 * Keeps the event loop turning for a moment after a message, while clients send their next one as soon as they have their
 * answer. A processor that goes to sleep in between has to be woken, which on a virtual machine takes as long as many a
 * request (decision 0042). Messages that come now and then keep nobody awake, and where there is one processor
 * only, the client needs it.
 */
export class BusyPoll {
  readonly #now: () => Millis;
  readonly #nextTick: (run: () => void) => void;
  readonly #isOff: boolean;
  #messageAt = Number.NEGATIVE_INFINITY;
  #until = 0;
  #isPolling = false;

  constructor({
    now = monotonic,
    nextTick = setImmediate,
    cores = availableParallelism(),
  }: BusyPollOptions = {}) {
    this.#now = now;
    this.#nextTick = nextTick;
    this.#isOff = cores === 1;
  }

  /** A message of so many bytes has come, or is about to leave. Long ones are work for everybody's threads, not a wait. */
  poke(bytes: number): void {
    if (this.#isOff) return;
    if (bytes > LIMITS.busyPollBytesMax) {
      this.#messageAt = Number.NEGATIVE_INFINITY;
      this.#until = 0;
      return;
    }
    const now = this.#now();
    const isFrequent = now - this.#messageAt <= LIMITS.busyPollGapMillis;
    this.#messageAt = now;
    if (!isFrequent) return;
    this.#until = now + LIMITS.busyPollMillis;
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.#nextTick(this.#tick);
  }

  readonly #tick = (): void => {
    this.#isPolling = this.#now() < this.#until;
    if (this.#isPolling) this.#nextTick(this.#tick);
  };
}
