import type { Millis, Timer, Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../base/log.ts";
import type { Wakeup } from "../../base/wakeup.ts";
import type { EphemeralSpace } from "../../store/kv.ts";
import { leaveRole, playsRole } from "./role.ts";

/**
 * Background work of the services: contents of deleted containers, expired messages, uncommitted blocks. Each run
 * does a bounded amount and says whether there is more; one process at a time does the chores of all.
 */
export interface Chore {
  readonly name: string;
  readonly interval: Millis;
  /** Rings when there is work that is better done soon than at the next interval. */
  readonly wakeup?: Wakeup;
  /** One bounded step. "more" asks for the next step soon. */
  run(): Promise<"more" | "done">;
}

const STEPS_PER_RUN_MAX = 100;

export class Chores {
  readonly #ephemeral: EphemeralSpace;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #running = new Map<string, Promise<void>>();
  #timer: Timer[] = [];
  readonly #soon = new Map<string, Timer>();
  #isStopped = false;

  constructor({ ephemeral, timers, log }: { ephemeral: EphemeralSpace; timers: Timers; log: Log }) {
    this.#ephemeral = ephemeral;
    this.#timers = timers;
    this.#log = log;
  }

  add(chore: Chore): void {
    const tick = (): void => {
      if (this.#running.has(chore.name) || this.#isStopped) return;
      const run = this.#run(chore).finally(() => this.#running.delete(chore.name));
      this.#running.set(chore.name, run);
    };
    this.#timer.push(this.#timers.every(chore.interval, tick));
    chore.wakeup?.listen(() => {
      if (this.#soon.has(chore.name) || this.#isStopped) return;
      const timer = this.#timers.after(LIMITS.choreSoonMillis, () => {
        this.#soon.delete(chore.name);
        tick();
      });
      this.#soon.set(chore.name, timer);
    });
  }

  async #run(chore: Chore): Promise<void> {
    try {
      if (!(await playsRole(this.#ephemeral, "chores"))) return;
      for (let steps = 0; steps < STEPS_PER_RUN_MAX && !this.#isStopped; steps++) {
        if ((await chore.run()) === "done") return;
      }
    } catch (err) {
      // Nothing is lost: the chore finds the same work at its next turn.
      this.#log.error({ err, chore: chore.name }, "a chore failed");
    }
  }

  /** Waits for steps under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of [...this.#timer, ...this.#soon.values()]) timer.cancel();
    this.#timer = [];
    await Promise.all(this.#running.values());
    await leaveRole(this.#ephemeral, "chores");
  }
}
