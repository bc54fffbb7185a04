import type { Millis, Timer, Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";
import type { EphemeralSpace } from "../../store/kv.ts";
import { hasRole, leaveRole } from "./role.ts";
import type { Wakeup } from "./wakeup.ts";

/**
 * A background job of a service: it removes contents of deleted containers, expired messages or uncommitted
 * blocks. Each run does a bounded amount; one process at a time runs the jobs of all.
 */
export interface BackgroundJob {
  readonly name: string;
  readonly interval: Millis;
  /** Rings when there is work that should not wait for the next interval. */
  readonly wakeup?: Wakeup;
  /** One bounded step; "more" requests the next one soon. */
  run(): Promise<"more" | "done">;
}

const STEPS_PER_RUN_MAX = 100;
/** The stored name of the role. */
const ROLE = "chores";

export class BackgroundJobs {
  readonly #ephemeral: EphemeralSpace;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #running = new Map<string, Promise<void>>();
  #timer: Timer[] = [];
  readonly #wakeups = new Map<string, Timer>();
  #isStopped = false;

  constructor({ ephemeral, timers, log }: { ephemeral: EphemeralSpace; timers: Timers; log: Log }) {
    this.#ephemeral = ephemeral;
    this.#timers = timers;
    this.#log = log;
  }

  add(job: BackgroundJob): void {
    const tick = (): void => {
      if (this.#running.has(job.name) || this.#isStopped) return;
      const run = this.#run(job).finally(() => this.#running.delete(job.name));
      this.#running.set(job.name, run);
    };
    this.#timer.push(this.#timers.every(job.interval, tick));
    job.wakeup?.listen(() => {
      if (this.#wakeups.has(job.name) || this.#isStopped) return;
      const timer = this.#timers.after(LIMITS.jobWakeupMillis, () => {
        this.#wakeups.delete(job.name);
        tick();
      });
      this.#wakeups.set(job.name, timer);
    });
  }

  async #run(job: BackgroundJob): Promise<void> {
    try {
      if (!(await hasRole(this.#ephemeral, ROLE))) return;
      for (let steps = 0; steps < STEPS_PER_RUN_MAX && !this.#isStopped; steps++) {
        if ((await job.run()) === "done") return;
      }
    } catch (err) {
      // Nothing is lost, because the next run finds the same work.
      this.#log.error({ err, job: job.name }, "a background job failed");
    }
  }

  /** Waits for the steps in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of [...this.#timer, ...this.#wakeups.values()]) timer.cancel();
    this.#timer = [];
    await Promise.all(this.#running.values());
    await leaveRole(this.#ephemeral, ROLE);
  }
}
