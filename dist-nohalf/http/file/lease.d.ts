import { type FileRow } from "./rows.ts";
export declare const LEASE_ROWS: readonly FileRow[];
