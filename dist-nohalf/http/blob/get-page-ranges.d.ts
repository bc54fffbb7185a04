import { type BlobRow } from "./rows.ts";
export declare const GET_PAGE_RANGES_ROW: BlobRow;
