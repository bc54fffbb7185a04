import { Refusal } from "../../base/refusals.ts";
import type { TableService } from "../../services/table/table-service.ts";
import { type CommonServices, commonOperations } from "../common/service-operations.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";

/** The Table service, operation by operation. */
export interface TableServices extends CommonServices {
  readonly tables: TableService;
}

export const TABLE_OPERATIONS: OperationTable<TableServices> = {
  service: "table",
  operations: commonOperations("table"),
  resourceOf,
  unknownOperation: "InvalidUri",
};

function resourceOf(path: string): ResourceKind {
  if (path === "") return "service";
  throw new Refusal("ResourceNotFound");
}
