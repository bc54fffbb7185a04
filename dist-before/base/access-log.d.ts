import { type LineWriter } from "./buffered-lines.ts";
import { type Clock, type Instant, type Millis, type Timers } from "./clock.ts";
import type { Log } from "./log.ts";
/** One answered request, as the front end saw it. */
export interface Access {
    readonly service: string;
    /** As the operation table names it; "" when no row fitted. */
    readonly operation: string;
    readonly method: string;
    /** As it came; made safe here. */
    readonly url: string;
    readonly status: number;
    /** x-ms-error-code of a refusal. */
    readonly errorCode?: string | undefined;
    readonly requestId: string;
    readonly clientRequestId?: string | undefined;
    readonly bytesIn: number;
    readonly bytesOut: number;
    readonly duration: Millis;
    readonly remoteAddress: string;
}
/** Off means there is none: `accessLog?.record({ ... })` then builds nothing. */
export interface AccessLog {
    record(access: Access): void;
    reopen(): void;
    /** Settles when the last line is out. */
    close(): Promise<void>;
}
export interface OpenAccessLog {
    /** A path, "-" for stdout, or "off". */
    readonly target: string;
    readonly log: Log;
    readonly clock?: Clock;
    readonly timers?: Timers;
    /** Instead of a file; for tests. */
    readonly lines?: LineWriter;
}
export declare function openAccessLog({ target, log, lines, ...from }: OpenAccessLog): AccessLog | undefined;
/** One line of JSON, in a fixed order of fields. What the client chose is escaped, so it cannot forge a line. */
export declare function printAccess(access: Access, now: Instant): string;
