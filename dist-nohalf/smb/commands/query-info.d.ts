import type { Reply, Request } from "../request.ts";
/** What a class answers: its bytes, and how many of them a buffer must hold at least. */
export interface InfoAnswer {
    readonly data: Buffer;
    readonly fixedBytes: number;
}
export declare function queryInfo(request: Request): Promise<Reply>;
