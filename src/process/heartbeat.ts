import type { Millis } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * Which workers still answer. Each worker sends a heartbeat from its event loop; the supervisor looks at
 * regular intervals. A worker that hangs keeps what it holds, above all the right to write, so it has to be
 * killed.
 *
 * The time a worker has been silent counts only while the supervisor itself runs: heartbeats that arrive
 * while it is suspended (Ctrl-Z, a paused container, a sleeping laptop) wait unread, and all workers would
 * look silent afterwards.
 */
export class Heartbeats {
  readonly #heardAt = new Map<number, Millis>();
  #checkedAt: Millis;

  constructor(now: Millis) {
    this.#checkedAt = now;
  }

  /** A worker was started or has sent its heartbeat. */
  beat(worker: number, now: Millis): void {
    this.#heardAt.set(worker, now);
  }

  forget(worker: number): void {
    this.#heardAt.delete(worker);
  }

  /** Call it every `LIMITS.workerBeatMillis`: a longer gap tells that the supervisor did not run. */
  check(now: Millis): void {
    const hasPaused = now - this.#checkedAt > LIMITS.workerSilenceMillis / 2;
    this.#checkedAt = now;
    if (hasPaused) for (const worker of this.#heardAt.keys()) this.#heardAt.set(worker, now);
  }

  silentFor(worker: number, now: Millis): Millis {
    return now - (this.#heardAt.get(worker) ?? now);
  }
}
