import type { TableService } from "../../services/table/table-service.ts";
import { type CommonServices } from "../common/service-operations.ts";
import type { OperationTable } from "../operation.ts";
/** The Table service, operation by operation. */
export interface TableServices extends CommonServices {
    readonly tables: TableService;
}
export declare const TABLE_OPERATIONS: OperationTable<TableServices>;
