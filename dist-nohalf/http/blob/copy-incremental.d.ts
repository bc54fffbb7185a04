import { type BlobRow } from "./rows.ts";
export declare const COPY_INCREMENTAL_ROW: BlobRow;
