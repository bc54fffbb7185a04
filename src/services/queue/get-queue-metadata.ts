import type { MaybePromise } from "../../store/kv.ts";
import { readCounter } from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { type Metadata, type QueueRef, readQueue } from "./queue-ref.ts";

export interface QueueProperties {
  readonly metadata: Metadata;
  /** Includes invisible messages; never lower than the actual count. */
  readonly approximateMessagesCount: number;
}

export function getQueueMetadata({ store }: QueueContext, ref: QueueRef): MaybePromise<QueueProperties> {
  return store.view((read) => {
    const { contents, metadata } = readQueue(read, ref);
    return { metadata, approximateMessagesCount: readCounter(read, contents).count };
  });
}
