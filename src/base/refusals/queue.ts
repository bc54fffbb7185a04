import { withStatus } from "./row.ts";

/** What only the Queue service answers. */
export const QUEUE_REFUSALS = {
  ...withStatus(400, {
    InvalidMarker: "The specified marker is invalid.",
    PopReceiptMismatch: "The specified pop receipt did not match the pop receipt for a dequeued message.",
  }),
  ...withStatus(404, {
    MessageNotFound: "The specified message does not exist.",
    QueueNotFound: "The specified queue does not exist.",
  }),
  QueueAlreadyExists: { http: 409, text: "The specified queue already exists." },
} as const;
