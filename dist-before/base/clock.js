export const systemClock = { now: () => Date.now() };
export const systemTimers = {
    after(delay, run) {
        const handle = setTimeout(run, delay);
        handle.unref();
        return { cancel: () => clearTimeout(handle) };
    },
    every(interval, run) {
        const handle = setInterval(run, interval);
        handle.unref();
        return { cancel: () => clearInterval(handle) };
    },
};
export const seconds = (count) => count * 1_000;
/** Waits on the real clock; for retries and polling, never for a rule of the protocol. */
export function pause(delay) {
    return new Promise((resolve) => setTimeout(resolve, delay));
}
/** For measuring how long something took: not a wall clock, never goes back. */
export function monotonic() {
    return performance.now();
}
/** A clock that stands still until a test moves it. */
export class ManualClock {
    #now;
    constructor(start = Date.UTC(2026, 0, 1)) {
        this.#now = start;
    }
    now() {
        return this.#now;
    }
    advance(by) {
        this.#now += by;
    }
    set(to) {
        this.#now = to;
    }
}
