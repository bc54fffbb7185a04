import type { HttpReply, HttpRequest } from "../exchange.ts";
import { type BlobRow, type BlobServices } from "./rows.ts";
/** DELETE /{container}/{blob} */
export declare function deleteBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply>;
export declare const DELETE_BLOB_ROWS: readonly BlobRow[];
