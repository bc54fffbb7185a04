import { discardedKey, queueKey } from "../../store/keys/queue.ts";
import type { QueueContext } from "./context.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

const EMPTY = Buffer.alloc(0);

/** Delete Queue is one write; a background job removes the messages. */
export function deleteQueue({ store }: QueueContext, ref: QueueRef): Promise<void> {
  return store.update((write) => {
    const contents = readContentsId(write, ref);
    write.delete(queueKey(ref.account, ref.queue));
    write.put(discardedKey(contents), EMPTY);
  });
}
