import { type Copied } from "../../services/blob/copy-blob.ts";
import type { HttpReply } from "../exchange.ts";
import { type BlobRow } from "./rows.ts";
export declare function copyReply({ written, copyId, status }: Copied): HttpReply;
export declare const COPY_BLOB_ROWS: readonly BlobRow[];
