import { type FileRow } from "./rows.ts";
export declare const FILE_ROWS: readonly FileRow[];
