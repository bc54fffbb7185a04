import { type BlobRow } from "./rows.ts";
export declare const SET_BLOB_ROWS: readonly BlobRow[];
