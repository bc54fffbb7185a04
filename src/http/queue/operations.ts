import { Refusal } from "../../base/refusals.ts";
import { type CommonServices, commonOperations } from "../common/service-operations.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";

/** The Queue service, operation by operation. */
export type QueueServices = CommonServices;

export const QUEUE_OPERATIONS: OperationTable<QueueServices> = {
  service: "queue",
  operations: commonOperations("queue"),
  resourceOf,
  unknownOperation: "InvalidUri",
};

function resourceOf(path: string): ResourceKind {
  if (path === "") return "service";
  throw new Refusal("ResourceNotFound");
}
