import type { MaybePromise } from "../../store/kv.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { QueueContext } from "./context.ts";
import { findQueue, type QueueRef, readQueue } from "./queue-ref.ts";

export function getQueueAcl({ store }: QueueContext, ref: QueueRef): MaybePromise<readonly StoredPolicy[]> {
  return store.view((read) => readQueue(read, ref).policies);
}

/** Undefined when there is no such queue. */
export async function findQueuePolicies(
  { store }: QueueContext,
  ref: QueueRef,
): Promise<readonly StoredPolicy[] | undefined> {
  return store.view((read) => findQueue(read, ref)?.policies);
}
