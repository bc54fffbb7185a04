import { type FileRow } from "./rows.ts";
export declare const DIRECTORY_ROWS: readonly FileRow[];
