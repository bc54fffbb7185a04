import { type BlobRow } from "./rows.ts";
export declare const ACCOUNT_ROWS: readonly BlobRow[];
