import { type BlobRow } from "./rows.ts";
export declare const LIST_CONTAINERS_ROW: BlobRow;
