import { type BlobRow } from "./rows.ts";
export declare const QUERY_BLOB_ROW: BlobRow;
