import { Refusal } from "../../base/refusals.ts";
import { queueKey } from "../../store/keys/queue.ts";
import type { KeySpace, MaybePromise, Reader } from "../../store/kv.ts";
import { type QueueRecord, queueRecord } from "../../store/records/queue.ts";
import { QUEUE_LIMITS } from "./limits.ts";

/** Which queue an operation is about. */
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

export async function findQueue(
  read: Reader,
  { account, queue }: QueueRef,
): Promise<QueueRecord | undefined> {
  const bytes = await read.get(queueKey(account, queue));
  return bytes === undefined ? undefined : queueRecord.unpack(bytes);
}

export async function readQueue(read: Reader, ref: QueueRef): Promise<QueueRecord> {
  const record = await findQueue(read, ref);
  if (record === undefined) throw new Refusal("QueueNotFound");
  return record;
}

/** Only the id of its contents: all that the operations on messages need. */
export function readContentsId(read: Reader, { account, queue }: QueueRef): MaybePromise<bigint> {
  const found = read.get(queueKey(account, queue));
  return found instanceof Promise ? found.then(contentsIdOf) : contentsIdOf(found);
}

function contentsIdOf(bytes: Buffer | undefined): bigint {
  if (bytes === undefined) throw new Refusal("QueueNotFound");
  return queueRecord.contentsOf(bytes);
}

export function changeQueue(
  store: KeySpace,
  ref: QueueRef,
  changes: Partial<Pick<QueueRecord, "metadata" | "policies">>,
): Promise<void> {
  return store.write(async (write) => {
    const record = await readQueue(write, ref);
    write.put(queueKey(ref.account, ref.queue), queueRecord.pack({ ...record, ...changes }));
  });
}
