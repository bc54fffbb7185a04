import type { StoredPolicy } from "../account/stored-policy.ts";
import type { QueueContext } from "./context.ts";
import { changeQueue, type QueueRef } from "./queue-ref.ts";

/** Set Queue ACL replaces the whole list; the next signature that names a policy already obeys it. */
export function setQueueAcl(
  context: QueueContext,
  ref: QueueRef,
  policies: readonly StoredPolicy[],
): Promise<void> {
  return changeQueue(context.store, ref, { policies });
}
