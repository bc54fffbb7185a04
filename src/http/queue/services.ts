import type { QueueContext } from "../../services/queue/context.ts";
import type { AuthContext } from "../auth/context.ts";
import type { CommonServices } from "../common/service-operations.ts";

/** What the handlers of the Queue service get. */
export interface QueueServices extends CommonServices {
  readonly queues: QueueContext;
  readonly auth: AuthContext;
}
