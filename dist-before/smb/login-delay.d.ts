import type { Clock, Timers } from "../base/clock.ts";
/**
 * Guessing is made slow: each failed login from an address doubles the time its next failure takes to be told. A
 * login that succeeds is never held up, and what is remembered is bounded.
 */
export declare class LoginDelay {
    #private;
    constructor(clock: Clock, timers: Timers);
    succeeded(address: string): void;
    /** Waits before a failure is told. */
    failed(address: string): Promise<void>;
}
