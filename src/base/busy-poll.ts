import { availableParallelism } from "node:os";
import { type Millis, monotonic } from "./clock.ts";
import { LIMITS } from "./limits.ts";

export interface BusyPollOptions {
  readonly now?: () => Millis;
  /** Runs a function in the next tick of the event loop. */
  readonly nextTick?: (run: () => void) => void;
  readonly cores?: number;
}

/**
 * Keeps the event loop running for a moment after a message, while a client sends each request right after
 * the last reply. Waking an idle processor on a virtual machine takes as long as a request (decisions 0042
 * and 0056). Infrequent messages do not start polling, and with one processor it is off, because the client
 * needs that processor.
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

  /** Long messages keep other threads busy, so polling gains nothing. */
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
