import type { Millis } from "../base/clock.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * Tracks which workers are alive. Each worker sends heartbeats from its event loop; the supervisor checks
 * them at intervals. A worker that hangs keeps its locks, above all the write lock, so it has to be killed.
 *
 * Silence counts only while the supervisor itself runs: while it is suspended (Ctrl-Z, a paused container, a
 * sleeping laptop), heartbeats wait unread, and afterwards all workers would look silent.
 */
export class Heartbeats {
  readonly #heardAt = new Map<number, Millis>();
  #checkedAt: Millis;

  constructor(now: Millis) {
    this.#checkedAt = now;
  }

  /** Call it when a worker starts or sends its heartbeat. */
  beat(worker: number, now: Millis): void {
    this.#heardAt.set(worker, now);
  }

  forget(worker: number): void {
    this.#heardAt.delete(worker);
  }

  /** Call it every `LIMITS.workerBeatMillis`: a longer gap means that the supervisor did not run. */
  check(now: Millis): void {
    const hasPaused = now - this.#checkedAt > LIMITS.workerSilenceMillis / 2;
    this.#checkedAt = now;
    if (hasPaused) for (const worker of this.#heardAt.keys()) this.#heardAt.set(worker, now);
  }

  silentFor(worker: number, now: Millis): Millis {
    return now - (this.#heardAt.get(worker) ?? now);
  }
}
