import type { Millis } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import * as visibility from "../../concurrency/visibility.ts";
import { moveMessage, putCounter, readMessageAndCounter, storeMessage, withMessageAt } from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { outlivesMessage } from "./put-message.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

export interface UpdateMessage {
  readonly ref: QueueRef;
  readonly messageId: string;
  readonly receipt: visibility.Receipt;
  readonly visibilityTimeout: Millis;
  /** UTF-8; undefined keeps the text. */
  readonly text: Uint8Array | undefined;
}

/** Hides the message from now on for the given time, and replaces its text. Only the new receipt is valid. */
export function updateMessage(
  { store, stamps, messageIds }: QueueContext,
  request: UpdateMessage,
): Promise<visibility.Receipt> {
  const { ref, messageId, receipt, visibilityTimeout, text } = request;
  const stamp = stamps.next();
  return store.update((write) => {
    const contents = readContentsId(write, ref);
    messageIds.check(contents, messageId, receipt);
    const { found, counter } = readMessageAndCounter(write, contents, receipt);
    const hiding = { stamp, now: write.now(), visibilityTimeout };
    const outcome = visibility.updateMessage(found?.state, receipt, hiding);
    if (!outcome.ok) {
      throw outcome.why === "notFound" ? new Refusal("MessageNotFound") : outlivesMessage(visibilityTimeout);
    }
    if (text === undefined) moveMessage(write, found!, outcome.next);
    else {
      write.delete(found!.entry.key);
      storeMessage(write, contents, { state: outcome.next, text });
    }
    const next = withMessageAt(counter, outcome.next);
    if (next !== counter) putCounter(write, contents, next);
    return outcome.next;
  });
}
