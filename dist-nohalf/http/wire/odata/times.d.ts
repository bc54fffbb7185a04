import type { Revision } from "../../../base/revision.ts";
export declare function printTicks(ticks: bigint): string;
/** Without a zone it is UTC, as the service reads it. */
export declare function parseTicks(text: string): bigint | undefined;
/** `W/"datetime'2022-05-06T00%3A30%3A33.7135293Z'"` */
export declare function printEntityEtag(timestamp: string): string;
/**
 * The revision an If-Match names; "unknown" for an ETag that is well formed but none of ours, undefined when it is
 * not an ETag.
 */
export declare function parseEntityEtag(text: string): Revision | "*" | "unknown" | undefined;
