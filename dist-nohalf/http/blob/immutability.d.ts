import { type BlobRow } from "./rows.ts";
export declare const IMMUTABILITY_ROWS: readonly BlobRow[];
