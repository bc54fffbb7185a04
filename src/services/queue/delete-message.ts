import { Refusal } from "../../base/refusals.ts";
import * as visibility from "../../concurrency/visibility.ts";
import { putCounter, readMessageAndCounter } from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

export interface DeleteMessage {
  readonly ref: QueueRef;
  readonly messageId: string;
  readonly receipt: visibility.Receipt;
}

export function deleteMessage({ store, messageIds }: QueueContext, request: DeleteMessage): Promise<void> {
  const { ref, messageId, receipt } = request;
  return store.update((write) => {
    const contents = readContentsId(write, ref);
    messageIds.check(contents, messageId, receipt);
    const { found, counter } = readMessageAndCounter(write, contents, receipt);
    if (found === undefined || visibility.deleteMessage(found.state, receipt, write.now()) === "notFound") {
      throw new Refusal("MessageNotFound");
    }
    write.delete(found.entry.key);
    putCounter(write, contents, { ...counter, count: counter.count - 1 });
  });
}
