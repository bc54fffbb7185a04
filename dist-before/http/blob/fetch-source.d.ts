import type { SourceUse } from "../../concurrency/conditions.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
/** A source on another server, its headers read and its body waiting. */
export interface FetchedSource {
    readonly headers: Headers;
    /** Undefined when the other server does not say. */
    readonly length: number | undefined;
    readonly body: AsyncIterable<Buffer>;
    close(): void;
}
/**
 * GETs a source from elsewhere. The conditions on it are for the other server to judge; its "no" becomes ours, in
 * the words each operation has for it. Redirects are not followed: the client named the place that may be read.
 */
export declare function fetchSource(request: HttpRequest, url: URL, { use, range }: {
    readonly use: SourceUse;
    readonly range?: string | undefined;
}): Promise<FetchedSource>;
