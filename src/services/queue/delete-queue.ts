import { discardedKey, queueKey } from "../../store/keys/queue.ts";
import type { QueueContext } from "./context.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

const EMPTY = Buffer.alloc(0);

/** One write. It puts the messages out of reach, and a background job removes them. */
export function deleteQueue({ store }: QueueContext, ref: QueueRef): Promise<void> {
  return store.write(async (write) => {
    const contents = await readContentsId(write, ref);
    write.delete(queueKey(ref.account, ref.queue));
    write.put(discardedKey(contents), EMPTY);
  });
}
