import { type SubRequest } from "./multipart.ts";
/** Batches of the Blob service and transactions of the Table service, on top of multipart/mixed. */
/** Blob batch: a flat list of 1 to 256 requests. */
export declare function parseBlobBatch(contentType: string | undefined, body: Buffer): SubRequest[];
/**
 * Table transaction: one change set of writes, or one query outside of any. Past 100 operations the service
 * answers inside the change set and not as a malformed body, so `isOverLimit` says so and the requests stop
 * there.
 */
export interface TableBatch {
    readonly isChangeSet: boolean;
    readonly requests: readonly SubRequest[];
    readonly isOverLimit: boolean;
}
export declare function parseTableBatch(contentType: string | undefined, body: Buffer): TableBatch;
export interface SubReply {
    readonly contentId?: string | undefined;
    readonly status: number;
    /** Names as they go out; an undefined value is left out. */
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly body?: string | Buffer | undefined;
}
export interface BatchReply {
    readonly contentType: string;
    readonly body: Buffer;
}
/** `id` is a new UUID; SDKs take the boundary after the "=" as it is, so it is never quoted. */
export declare function printBlobBatch(id: string, replies: readonly SubReply[]): BatchReply;
/** The answer to a change set is nested as the request was; clients look for `changesetresponse_`. */
export declare function printTableBatch(ids: {
    readonly batch: string;
    readonly changeSet: string;
}, replies: readonly SubReply[], isChangeSet?: boolean): BatchReply;
