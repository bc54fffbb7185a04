import type { QueueContext } from "./context.ts";
import { changeQueue, type Metadata, type QueueRef } from "./queue-ref.ts";

/** Set Queue Metadata replaces all of it; the last writer wins. */
export function setQueueMetadata(context: QueueContext, ref: QueueRef, metadata: Metadata): Promise<void> {
  return changeQueue(context.store, ref, { metadata });
}
