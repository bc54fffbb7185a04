import type { QueueService } from "../../services/queue/queue-service.ts";
import type { AuthContext } from "../auth/authenticate.ts";
import { type CommonServices } from "../common/service-operations.ts";
import type { OperationTable } from "../operation.ts";
/** The Queue service, operation by operation. None has conditions, ETags or leases. */
export interface QueueServices extends CommonServices {
    readonly queues: QueueService;
    readonly auth: AuthContext;
}
export declare const QUEUE_OPERATIONS: OperationTable<QueueServices>;
