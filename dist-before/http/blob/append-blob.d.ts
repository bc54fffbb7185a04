import type { AppendConditions } from "../../concurrency/conditions.ts";
import { type Appended } from "../../services/blob/append-block.ts";
import type { Headers, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { type BlobRow } from "./rows.ts";
export declare function readAppendConditions(headers: Headers): AppendConditions;
/** Blocks of 100 MiB came with 2022-11-02; a client that names no version is served as a present one. */
export declare function appendBytesMax(version: string): number;
export declare function appendedHeaders({ headers }: HttpRequest, appended: Appended, digests: ReplyHeaders): ReplyHeaders;
export declare const APPEND_BLOB_ROWS: readonly BlobRow[];
