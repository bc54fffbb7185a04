import { type BlobRow } from "./rows.ts";
export declare const WEBSITE_ROWS: readonly BlobRow[];
