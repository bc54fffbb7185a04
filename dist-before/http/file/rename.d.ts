import { type FileRow } from "./rows.ts";
export declare const RENAME_ROWS: readonly FileRow[];
