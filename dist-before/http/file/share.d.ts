import type { SnapshotRef } from "../../services/file/names.ts";
import type { HttpRequest } from "../exchange.ts";
import { type FileRow } from "./rows.ts";
export declare function readRef(request: HttpRequest): SnapshotRef;
export declare const SHARE_ROWS: readonly FileRow[];
