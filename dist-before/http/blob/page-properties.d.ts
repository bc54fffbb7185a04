import type { BlobService } from "../../services/blob/blob-service.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
/** Set Blob Properties with what only a page blob has: its length, its sequence number. */
export declare function isPageChange(headers: Headers): boolean;
export declare function setPageBlobProperties(request: HttpRequest, blobs: BlobService): Promise<HttpReply>;
