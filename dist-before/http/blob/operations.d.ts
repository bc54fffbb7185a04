import type { OperationTable } from "../operation.ts";
import type { BlobServices } from "./rows.ts";
export type { BlobServices } from "./rows.ts";
/** The Blob service, operation by operation. */
export declare const BLOB_OPERATIONS: OperationTable<BlobServices>;
