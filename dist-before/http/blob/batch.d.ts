import { type BlobRow } from "./rows.ts";
export declare const BATCH_ROWS: readonly BlobRow[];
