import type { QueryEvent } from "../../services/blob/query/run-query.ts";
export declare function printQueryReply(events: AsyncIterable<QueryEvent>, { totalBytes, sync }: {
    readonly totalBytes: number;
    readonly sync: Buffer;
}): AsyncGenerator<Buffer>;
