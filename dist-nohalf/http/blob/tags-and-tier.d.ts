import type { HttpReply, HttpRequest } from "../exchange.ts";
import { type BlobRow, type BlobServices } from "./rows.ts";
export declare function setBlobTier(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply>;
export declare const TAGS_AND_TIER_ROWS: readonly BlobRow[];
