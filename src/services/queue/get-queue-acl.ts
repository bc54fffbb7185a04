import type { StoredPolicy } from "../account/stored-policy.ts";
import type { QueueContext } from "./context.ts";
import { findQueue, type QueueRef, readQueue } from "./queue-ref.ts";

export function getQueueAcl({ store }: QueueContext, ref: QueueRef): Promise<readonly StoredPolicy[]> {
  return store.read(async (read) => (await readQueue(read, ref)).policies);
}

/** Undefined when there is no such queue. */
export function findQueuePolicies(
  { store }: QueueContext,
  ref: QueueRef,
): Promise<readonly StoredPolicy[] | undefined> {
  return store.read(async (read) => (await findQueue(read, ref))?.policies);
}
