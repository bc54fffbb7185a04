import { Refusal } from "../../base/refusals.ts";
import { queueKey } from "../../store/keys/queue.ts";
import type { Store, SyncReader } from "../../store/kv.ts";
import { type QueueRecord, queueRecord } from "../../store/records/queue.ts";
import { QUEUE_LIMITS } from "./limits.ts";

export interface QueueRef {
  readonly account: string;
  readonly queue: string;
}

export type Metadata = Readonly<Record<string, string>>;

const QUEUE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Lower-case letters, digits and single dashes inside. */
export function checkQueueName(name: string): void {
  if (name.length < QUEUE_LIMITS.queueNameCharsMin || name.length > QUEUE_LIMITS.queueNameCharsMax) {
    throw new Refusal("OutOfRangeInput", {
      text: "The specified resource name length is not within the permissible limits.",
    });
  }
  if (!QUEUE_NAME.test(name)) throw new Refusal("InvalidResourceName");
}

export function findQueue(read: SyncReader, { account, queue }: QueueRef): QueueRecord | undefined {
  const bytes = read.get(queueKey(account, queue));
  return bytes === undefined ? undefined : queueRecord.unpack(bytes);
}

export function readQueue(read: SyncReader, ref: QueueRef): QueueRecord {
  const record = findQueue(read, ref);
  if (record === undefined) throw new Refusal("QueueNotFound");
  return record;
}

/** The id of the queue's contents, which is all that the operations on messages need. */
export function readContentsId(read: SyncReader, { account, queue }: QueueRef): bigint {
  const bytes = read.get(queueKey(account, queue));
  if (bytes === undefined) throw new Refusal("QueueNotFound");
  return queueRecord.contentsOf(bytes);
}

export function changeQueue(
  store: Store,
  ref: QueueRef,
  changes: Partial<Pick<QueueRecord, "metadata" | "policies">>,
): Promise<void> {
  return store.update((write) => {
    const record = readQueue(write, ref);
    write.put(queueKey(ref.account, ref.queue), queueRecord.pack({ ...record, ...changes }));
  });
}
