import { leaveRole, playsRole } from "./role.js";
const STEPS_PER_RUN_MAX = 100;
export class Chores {
    #ephemeral;
    #timers;
    #log;
    #running = new Map();
    #timer = [];
    #isStopped = false;
    constructor({ ephemeral, timers, log }) {
        this.#ephemeral = ephemeral;
        this.#timers = timers;
        this.#log = log;
    }
    add(chore) {
        const tick = () => {
            if (this.#running.has(chore.name) || this.#isStopped)
                return;
            const run = this.#run(chore).finally(() => this.#running.delete(chore.name));
            this.#running.set(chore.name, run);
        };
        this.#timer.push(this.#timers.every(chore.interval, tick));
    }
    async #run(chore) {
        try {
            if (!(await playsRole(this.#ephemeral, "chores")))
                return;
            for (let steps = 0; steps < STEPS_PER_RUN_MAX && !this.#isStopped; steps++) {
                if ((await chore.run()) === "done")
                    return;
            }
        }
        catch (err) {
            // Nothing is lost: the chore finds the same work at its next turn.
            this.#log.error({ err, chore: chore.name }, "a chore failed");
        }
    }
    /** Waits for steps under way. */
    async stop() {
        this.#isStopped = true;
        for (const timer of this.#timer)
            timer.cancel();
        this.#timer = [];
        await Promise.all(this.#running.values());
        await leaveRole(this.#ephemeral, "chores");
    }
}
