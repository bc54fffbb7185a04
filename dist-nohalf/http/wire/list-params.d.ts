import type { Millis } from "../../base/clock.ts";
/** The query parameters every listing has, and the markers that carry a reader from page to page. */
interface QueryValues {
    get(name: string): string | undefined;
}
export interface ListParams {
    readonly prefix: string;
    readonly marker: string | undefined;
    /** What the page may hold: the client's wish, or the service's maximum. */
    readonly maxResults: number;
    /** Lower-cased. */
    readonly include: ReadonlySet<string>;
    readonly delimiter: string | undefined;
    /** As given, to be echoed: a parameter that was not sent is not printed. */
    readonly given: {
        readonly prefix: string | undefined;
        readonly marker: string | undefined;
        readonly maxResults: number | undefined;
    };
}
export interface ListRules {
    /** What `include` may name, in lower case. */
    readonly include: readonly string[];
    readonly maxResultsMax?: number;
}
export declare function readListParams(query: QueryValues, rules: ListRules): ListParams;
/**
 * A whole number of at least `min`. More than `max` is not refused: the protocol caps it, and the caller does,
 * so that what the client sent can be echoed.
 */
export declare function readCount(query: QueryValues, name: string, { min, max }: {
    readonly min: number;
    readonly max: number;
}): number | undefined;
/** How long the client lets an operation take: `timeout` in seconds, never more than the service allows. */
export declare function readTimeout(query: QueryValues, secondsMax?: number): Millis;
/** The parameters that were given, as the head of a listing repeats them. */
export declare function printListParams({ given, delimiter }: ListParams): string;
export declare function encodeMarker(scope: string, position: readonly string[]): string;
export declare function decodeMarker(scope: string, marker: string): string[];
export {};
