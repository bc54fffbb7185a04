import { Refusal } from "../../base/refusals.ts";
import type { BlobService } from "../../services/blob/blob-service.ts";
import { type CommonServices, commonOperations } from "../common/service-operations.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";

/** The Blob service, operation by operation. */
export interface BlobServices extends CommonServices {
  readonly blobs: BlobService;
}

export const BLOB_OPERATIONS: OperationTable<BlobServices> = {
  service: "blob",
  operations: commonOperations("blob"),
  resourceOf,
  unknownOperation: "InvalidUri",
};

function resourceOf(path: string): ResourceKind {
  if (path === "") return "service";
  throw new Refusal("ResourceNotFound");
}
