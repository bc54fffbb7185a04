import { queueKey } from "../../store/keys/queue.ts";
import { type QueueRecord, queueRecord } from "../../store/records/queue.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../context.ts";
import { readCounter } from "./contents.ts";
import { findQueue, type QueueRef, readQueue } from "./queue-ref.ts";

export type Metadata = Readonly<Record<string, string>>;

export interface QueueProperties {
  readonly metadata: Metadata;
  /** All messages, invisible ones included; never fewer than there are. */
  readonly approximateMessagesCount: number;
}

export function getQueueMetadata({ store }: ServiceParts, ref: QueueRef): Promise<QueueProperties> {
  return store.read(async (read) => {
    const { contents, metadata } = await readQueue(read, ref);
    const { count } = await readCounter(read, contents);
    return { metadata, approximateMessagesCount: count };
  });
}

/** Replaces all of it. The last writer wins. */
export function setQueueMetadata(parts: ServiceParts, ref: QueueRef, metadata: Metadata): Promise<void> {
  return change(parts, ref, { metadata });
}

export function getQueueAcl({ store }: ServiceParts, ref: QueueRef): Promise<readonly StoredPolicy[]> {
  return store.read(async (read) => (await readQueue(read, ref)).policies);
}

/** Replaces the whole list, at once for every signature that names one of its policies. */
export function setQueueAcl(
  parts: ServiceParts,
  ref: QueueRef,
  policies: readonly StoredPolicy[],
): Promise<void> {
  return change(parts, ref, { policies });
}

export function findPolicies(
  { store }: ServiceParts,
  ref: QueueRef,
): Promise<readonly StoredPolicy[] | undefined> {
  return store.read(async (read) => (await findQueue(read, ref))?.policies);
}

function change(
  { store }: ServiceParts,
  ref: QueueRef,
  changes: Partial<Pick<QueueRecord, "metadata" | "policies">>,
): Promise<void> {
  return store.write(async (write) => {
    const record = await readQueue(write, ref);
    write.put(queueKey(ref.account, ref.queue), queueRecord.pack({ ...record, ...changes }));
  });
}
