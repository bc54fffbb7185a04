import { type Written } from "../../services/blob/put-blob.ts";
import type { HttpRequest, ReplyHeaders } from "../exchange.ts";
import { type BlobRow } from "./rows.ts";
/** What one request may carry grew with the versions of the protocol. */
export declare function bytesMaxFor(version: string, sizes: {
    readonly since2019: number;
    readonly since2016: number;
    readonly before: number;
}): number;
export declare function checkBodyLength({ body }: HttpRequest, bytesMax: number): void;
/** What every answer to a write of content says. */
export declare function writtenHeaders(written: Written): ReplyHeaders;
export declare const PUT_BLOB_ROWS: readonly BlobRow[];
