import { Refusal } from "../../base/refusals.ts";
import type { FileService } from "../../services/file/file-service.ts";
import { type CommonServices, commonOperations } from "../common/service-operations.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";

/** The File service, operation by operation. */
export interface FileServices extends CommonServices {
  readonly files: FileService;
}

export const FILE_OPERATIONS: OperationTable<FileServices> = {
  service: "file",
  operations: commonOperations("file"),
  resourceOf,
  unknownOperation: "InvalidUri",
};

function resourceOf(path: string): ResourceKind {
  if (path === "") return "service";
  throw new Refusal("ResourceNotFound");
}
