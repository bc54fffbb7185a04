import type { StoredPolicy } from "../account/stored-policy.ts";
import type { QueueContext } from "./context.ts";
import { changeQueue, type QueueRef } from "./queue-ref.ts";

/** Replaces the whole list, at once for every signature that names one of its policies. */
export function setQueueAcl(
  context: QueueContext,
  ref: QueueRef,
  policies: readonly StoredPolicy[],
): Promise<void> {
  return changeQueue(context.store, ref, { policies });
}
