import { type BlobRow } from "./rows.ts";
export declare const FIND_BLOBS_ROWS: readonly BlobRow[];
