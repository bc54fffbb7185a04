import type { Instant } from "../../base/clock.ts";
import { type Revision } from "../../base/revision.ts";
/** RFC 1123, to the second. Past the year 9999 it says the last second of it, as "never" is written. */
export declare function printHttpDate(instant: Instant): string;
/**
 * Reads the three forms HTTP allows; undefined for anything else, including a date that does not exist or a
 * weekday that does not belong to it.
 */
export declare function parseHttpDate(text: string): Instant | undefined;
/**
 * A point in time in ticks of 100 ns, as file times and Table properties need it. Takes `YYYY-MM-DD`, then
 * optionally `Thh:mm`, `:ss`, up to seven digits of a fraction, and a zone (`Z` or an offset).
 */
export declare function parseIsoTicks(text: string): Revision | undefined;
/** The same to the millisecond; what is finer is cut off. */
export declare function parseIsoDate(text: string): Instant | undefined;
/** Seven digits, as stored policies and error messages have them. `timestampOf` of base does it for revisions. */
export declare function printIsoDate(instant: Instant): string;
