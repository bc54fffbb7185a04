import { discardedKey, queueKey } from "../../store/keys/queue.ts";
import { queueRecord } from "../../store/records/queue.ts";
import type { QueueContext } from "./context.ts";
import { type QueueRef, readQueue } from "./queue-ref.ts";

const EMPTY = Buffer.alloc(0);

/** Gives the queue new, empty contents in one write. A background job removes the old messages. */
export function clearMessages({ store }: QueueContext, ref: QueueRef): Promise<void> {
  return store.update((write) => {
    const record = readQueue(write, ref);
    write.put(discardedKey(record.contents), EMPTY);
    const contents = write.revision(record.contents);
    write.put(queueKey(ref.account, ref.queue), queueRecord.pack({ ...record, contents }));
  });
}
