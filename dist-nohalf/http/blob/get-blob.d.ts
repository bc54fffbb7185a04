import { type ReadBlob } from "../../services/blob/get-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { type BlobRow, type BlobServices } from "./rows.ts";
export declare function readRead(request: HttpRequest): ReadBlob;
/** GET /{container}/{blob}: the whole of it, or a range. */
export declare function getBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply>;
/** HEAD /{container}/{blob} */
export declare function getBlobProperties(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply>;
export declare const GET_BLOB_ROWS: readonly BlobRow[];
