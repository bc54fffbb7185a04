import { type FileRow } from "./rows.ts";
export declare const SHARE_ACL_ROWS: readonly FileRow[];
