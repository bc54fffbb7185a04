import type { Headers, Query } from "../exchange.ts";
/** `name:value` and a line feed for each x-ms- header, by character code of the name. */
export declare function canonicalHeaders(headers: Headers, version: string): string;
/** The same for names in an order of the caller's. */
export declare function canonicalHeadersAs(headers: Headers, ordered: readonly string[], version: string): string;
export declare function signedHeaderNames(headers: Headers): string[];
/** Every query parameter on a line of its own, by name; several values of one name sorted and joined by commas. */
export declare function canonicalQuery(query: Query): string;
