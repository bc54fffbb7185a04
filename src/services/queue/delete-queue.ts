import { discardedKey, queueKey } from "../../store/keys/queue.ts";
import { keepName } from "../deleted-names.ts";
import type { QueueContext } from "./context.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

const EMPTY = Buffer.alloc(0);

/** Delete Queue is one write; a background job removes the messages. */
export function deleteQueue(queues: QueueContext, ref: QueueRef): Promise<void> {
  return queues.store.update((write) => {
    const contents = readContentsId(write, ref);
    write.delete(queueKey(ref.account, ref.queue));
    write.put(discardedKey(contents), EMPTY);
    keepName(write, queues, { kind: "queue", account: ref.account, name: ref.queue });
  });
}
