import type { Millis } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import { type Receipt, updateMessage as ruleOfUpdate } from "../../concurrency/visibility.ts";
import type { ServiceParts } from "../parts.ts";
import {
  drawStamp,
  findMessage,
  keepMessage,
  liftMessage,
  putTally,
  readTally,
  withMessageAt,
} from "./contents.ts";
import { checkNamed } from "./named-message.ts";
import { outlivesMessage } from "./put-message.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

export interface UpdateMessage {
  readonly ref: QueueRef;
  readonly messageId: string;
  readonly receipt: Receipt;
  readonly visibilityTimeout: Millis;
  /** UTF-8; undefined keeps the text. */
  readonly text: Uint8Array | undefined;
}

/** Hides the message from now on for as long as asked, and replaces its text. The new receipt is the valid one. */
export function updateMessage(parts: ServiceParts, request: UpdateMessage): Promise<Receipt> {
  const { ref, messageId, receipt, visibilityTimeout, text } = request;
  const stamp = drawStamp(parts.random);
  return parts.store.write(async (write) => {
    const contents = await readContentsId(write, ref);
    checkNamed({ contents, messageId, receipt });
    const found = await findMessage(write, contents, receipt);
    const hiding = { stamp, now: write.now(), visibilityTimeout };
    const outcome = ruleOfUpdate(found?.state, receipt, hiding);
    if (!outcome.ok) {
      throw outcome.why === "notFound" ? new Refusal("MessageNotFound") : outlivesMessage(visibilityTimeout);
    }
    liftMessage(write, contents, found!.state);
    keepMessage(write, contents, { state: outcome.next, text: text ?? found!.text });
    const tally = await readTally(write, contents);
    const next = withMessageAt(tally, outcome.next);
    if (next !== tally) putTally(write, contents, next);
    return outcome.next;
  });
}
