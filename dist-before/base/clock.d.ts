/**
 * Time enters here and nowhere else, so a test can hold it: a 60-second lease expires in a microsecond.
 *
 * An `Instant` is milliseconds since 1970 by the wall clock. A `Millis` is a length of time.
 */
export type Instant = number;
export type Millis = number;
export interface Clock {
    now(): Instant;
}
export interface Timer {
    cancel(): void;
}
/** Timers that a test may fire by hand. None of them keeps the process alive by itself. */
export interface Timers {
    after(delay: Millis, run: () => void): Timer;
    every(interval: Millis, run: () => void): Timer;
}
export declare const systemClock: Clock;
export declare const systemTimers: Timers;
export declare const seconds: (count: number) => Millis;
/** Waits on the real clock; for retries and polling, never for a rule of the protocol. */
export declare function pause(delay: Millis): Promise<void>;
/** For measuring how long something took: not a wall clock, never goes back. */
export declare function monotonic(): Millis;
/** A clock that stands still until a test moves it. */
export declare class ManualClock implements Clock {
    #private;
    constructor(start?: Instant);
    now(): Instant;
    advance(by: Millis): void;
    set(to: Instant): void;
}
