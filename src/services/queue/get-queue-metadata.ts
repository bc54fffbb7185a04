import { readCounter } from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { type Metadata, type QueueRef, readQueue } from "./queue-ref.ts";

export interface QueueProperties {
  readonly metadata: Metadata;
  /** All messages, invisible ones included; never fewer than there are. */
  readonly approximateMessagesCount: number;
}

export function getQueueMetadata({ store }: QueueContext, ref: QueueRef): Promise<QueueProperties> {
  return store.read(async (read) => {
    const { contents, metadata } = await readQueue(read, ref);
    const { count } = await readCounter(read, contents);
    return { metadata, approximateMessagesCount: count };
  });
}
