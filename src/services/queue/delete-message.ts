import { Refusal } from "../../base/refusals.ts";
import * as visibility from "../../concurrency/visibility.ts";
import { findMessage, putCounter, readCounter } from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { checkNamed } from "./named-message.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

export interface DeleteMessage {
  readonly ref: QueueRef;
  readonly messageId: string;
  readonly receipt: visibility.Receipt;
}

export function deleteMessage({ store }: QueueContext, request: DeleteMessage): Promise<void> {
  const { ref, messageId, receipt } = request;
  return store.write(async (write) => {
    const contents = await readContentsId(write, ref);
    checkNamed({ contents, messageId, receipt });
    const found = await findMessage(write, contents, receipt);
    if (found === undefined || visibility.deleteMessage(found.state, receipt, write.now()) === "notFound") {
      throw new Refusal("MessageNotFound");
    }
    write.delete(found.entry.key);
    const counter = await readCounter(write, contents);
    putCounter(write, contents, { ...counter, count: counter.count - 1 });
  });
}
