import { type PutRange, type RangePut } from "../../services/file/put-range.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { type FileRow } from "./rows.ts";
/** Put Range (update and clear) and List Ranges. */
export declare function readPutRange(request: HttpRequest): PutRange;
export declare function rangeReply({ revision, writtenAt }: RangePut, more: Record<string, string | undefined>): HttpReply;
export declare const RANGE_ROWS: readonly FileRow[];
