import { isVisible } from "../../concurrency/visibility.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import { messageOf, readContents, visibleRange } from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { type PeekedMessage, removeExpiredHead } from "./get-messages.ts";
import { QUEUE_LIMITS } from "./limits.ts";
import type { QueueRef } from "./queue-ref.ts";

export interface PeekMessages {
  readonly ref: QueueRef;
  readonly count: number;
}

/** Peek Messages returns what Get Messages would return now, and changes no message. */
export async function peekMessages(context: QueueContext, request: PeekMessages): Promise<PeekedMessage[]> {
  for (let step = 0; step < QUEUE_LIMITS.expiredStepsMax; step++) {
    if (step > 0) await removeExpiredHead(context, request.ref);
    const messages = await readHead(context, request);
    if (messages !== "onlyExpired") return messages;
  }
  return [];
}

function readHead(
  { store, messageIds }: QueueContext,
  { ref, count }: PeekMessages,
): Promise<PeekedMessage[] | "onlyExpired"> {
  return store.read(async (read) => {
    const now = read.now();
    const { contents, counter } = await readContents(read, ref);
    const range = visibleRange(contents, counter, now);
    const found: PeekedMessage[] = [];
    let { from } = range;
    let expired = 0;
    while (found.length < count && expired < QUEUE_LIMITS.expiredPerStepMax) {
      const limit = expired === 0 ? count - found.length : QUEUE_LIMITS.messagesPerGetMax;
      const page = await read.take({ from, to: range.to }, limit);
      for (const entry of page) {
        if (found.length === count) break;
        const { state, text } = messageOf(entry);
        const { sequence, insertedAt, expiresAt, dequeueCount } = state;
        if (isVisible(state, now)) {
          const messageId = messageIds.print(contents, sequence);
          found.push({ messageId, insertedAt, expiresAt, dequeueCount, text });
        } else expired++;
        from = keyAfter(entry.key);
      }
      if (page.length < limit) return found;
    }
    return found.length === 0 ? "onlyExpired" : found;
  });
}
