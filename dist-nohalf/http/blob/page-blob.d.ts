import type { SequenceConditions } from "../../concurrency/conditions.ts";
import type { PageSpan } from "../../services/blob/page-map.ts";
import { type PagesWritten, type PageWrite } from "../../services/blob/put-page.ts";
import type { Headers, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { type BlobRow } from "./rows.ts";
/** x-ms-blob-content-length: whole pages, up to 8 TiB. */
export declare function readPageBlobLength(headers: Headers): number;
export declare function readSequenceNumber(headers: Headers, name: string): bigint | undefined;
export declare function readSequenceConditions(headers: Headers): SequenceConditions;
/** The pages a write names: both ends on page boundaries. */
export declare function readPageSpan(headers: Headers): PageSpan;
export declare function readPageWrite(request: HttpRequest): PageWrite;
export declare function checkPageWriteLength({ length }: PageSpan): void;
export declare function pageHeaders({ headers }: HttpRequest, written: PagesWritten, digests: ReplyHeaders): ReplyHeaders;
export declare const PAGE_BLOB_ROWS: readonly BlobRow[];
