import { type FileRow } from "./rows.ts";
export declare const LIST_SHARES_ROW: FileRow;
