import { Refusal } from "../../base/refusals.ts";
import type { QueueService } from "../../services/queue/queue-service.ts";
import { type CommonServices, commonOperations } from "../common/service-operations.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";

/** The Queue service, operation by operation. */
export interface QueueServices extends CommonServices {
  readonly queues: QueueService;
}

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
