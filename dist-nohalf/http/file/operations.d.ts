import type { OperationTable } from "../operation.ts";
import type { FileServices } from "./rows.ts";
/** The File service, operation by operation. */
export declare const FILE_OPERATIONS: OperationTable<FileServices>;
