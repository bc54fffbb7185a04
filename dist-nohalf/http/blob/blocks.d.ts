import type { HttpRequest, ReplyHeaders } from "../exchange.ts";
import { type BlobRow } from "./rows.ts";
/** The bytes in a block id; undefined when it is none. */
export declare function blockIdBytes(id: string): number | undefined;
export declare function readBlockId({ query }: HttpRequest): {
    readonly blockId: string;
    readonly blockIdBytes: number;
};
/** The digest the client sent, or the CRC64 of what arrived. */
export declare function digestHeaders({ headers }: HttpRequest, crc64: string | undefined): ReplyHeaders;
export declare const BLOCK_ROWS: readonly BlobRow[];
