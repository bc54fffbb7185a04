import { type FileRow } from "./rows.ts";
export declare const COPY_ROWS: readonly FileRow[];
