import { type FileRow } from "./rows.ts";
export declare const LIST_DIRECTORY_ROW: FileRow;
