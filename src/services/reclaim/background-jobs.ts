import type { Millis, Timer, Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";
import type { EphemeralSpace } from "../../store/kv.ts";
import { leaveRole, playsRole } from "./role.ts";
import type { Wakeup } from "./wakeup.ts";

/**
 * Background work of the services: contents of deleted containers, expired messages, uncommitted blocks. Each
 * run does a bounded amount and says whether there is more; one process at a time does the chores of all.
 */
export interface BackgroundJob {
  readonly name: string;
  readonly interval: Millis;
  /** Rings when there is work that is better done soon than at the next interval. */
  readonly wakeup?: Wakeup;
  /** One bounded step. "more" asks for the next step soon. */
  run(): Promise<"more" | "done">;
}

const STEPS_PER_RUN_MAX = 100;

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
      if (!(await playsRole(this.#ephemeral, "chores"))) return;
      for (let steps = 0; steps < STEPS_PER_RUN_MAX && !this.#isStopped; steps++) {
        if ((await job.run()) === "done") return;
      }
    } catch (err) {
      // Nothing is lost: the chore finds the same work at its next turn.
      this.#log.error({ err, job: job.name }, "a chore failed");
    }
  }

  /** Waits for steps under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of [...this.#timer, ...this.#wakeups.values()]) timer.cancel();
    this.#timer = [];
    await Promise.all(this.#running.values());
    await leaveRole(this.#ephemeral, "chores");
  }
}
