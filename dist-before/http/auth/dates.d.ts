import type { Instant } from "../../base/clock.ts";
/** The one form the protocol knows for Date and x-ms-date: `Thu, 01 Jan 2026 00:00:00 GMT`. */
export declare function parseHttpDate(text: string): Instant | undefined;
/**
 * Times in a SAS, in every form the SDKs send: `2026-01-01`, `2026-01-01T00:00Z`, `2026-01-01T00:00:00Z`, and the
 * last with up to seven digits of a second, of which three are kept.
 */
export declare function parseSasTime(text: string): Instant | undefined;
