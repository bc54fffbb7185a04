import { type BlobRow } from "./rows.ts";
export declare const ACL_ROWS: readonly BlobRow[];
