import { type BlobRow } from "./rows.ts";
export declare const FROM_URL_ROWS: readonly BlobRow[];
