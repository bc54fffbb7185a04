import { type FileRow } from "./rows.ts";
export declare const HANDLE_ROWS: readonly FileRow[];
