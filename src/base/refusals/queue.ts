import { withStatus } from "./row.ts";

/** What only the Queue service answers. */
export const QUEUE_REFUSALS = {
  ...withStatus(400, {
    PopReceiptMismatch: "The specified pop receipt did not match the pop receipt for a dequeued message.",
  }),
  ...withStatus(404, {
    MessageNotFound: "The specified message does not exist.",
    QueueNotFound: "The specified queue does not exist.",
  }),
  ...withStatus(409, {
    QueueAlreadyExists: "The specified queue already exists.",
    QueueBeingDeleted: "The specified queue is being deleted.",
  }),
} as const;
