import { type BlobRow } from "./rows.ts";
export declare const LIST_BLOBS_ROW: BlobRow;
