import { type FileRow } from "./rows.ts";
export declare const LINK_ROWS: readonly FileRow[];
