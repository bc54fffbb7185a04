import { isVisible } from "../../concurrency/visibility.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import { messageOf, readCounter, visibleRange } from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { type PeekedMessage, removeExpiredHead } from "./get-messages.ts";
import { QUEUE_LIMITS } from "./limits.ts";
import { printMessageId } from "./message-id.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

export interface PeekMessages {
  readonly ref: QueueRef;
  readonly count: number;
}

/** What a Get would give now, with nothing changed by looking. */
export async function peekMessages(context: QueueContext, request: PeekMessages): Promise<PeekedMessage[]> {
  let seen = await readHead(context, request);
  for (let step = 1; seen === "onlyExpired" && step < QUEUE_LIMITS.expiredStepsMax; step++) {
    await removeExpiredHead(context, request.ref);
    seen = await readHead(context, request);
  }
  return seen === "onlyExpired" ? [] : seen;
}

function readHead(
  { store }: QueueContext,
  { ref, count }: PeekMessages,
): Promise<PeekedMessage[] | "onlyExpired"> {
  return store.read(async (read) => {
    const contents = await readContentsId(read, ref);
    const now = read.now();
    const range = visibleRange(contents, await readCounter(read, contents), now);
    const found: PeekedMessage[] = [];
    let { from } = range;
    let skipped = 0;
    while (found.length < count && skipped < QUEUE_LIMITS.expiredPerStepMax) {
      const asked = skipped === 0 ? count - found.length : QUEUE_LIMITS.messagesPerGetMax;
      const page = await read.take({ from, to: range.to }, asked);
      for (const entry of page) {
        if (found.length === count) break;
        const { state, text } = messageOf(entry);
        const { sequence, insertedAt, expiresAt, dequeueCount } = state;
        if (isVisible(state, now)) {
          const messageId = printMessageId(contents, sequence);
          found.push({ messageId, insertedAt, expiresAt, dequeueCount, text });
        } else skipped++;
        from = keyAfter(entry.key);
      }
      if (page.length < asked) return found;
    }
    return found.length === 0 ? "onlyExpired" : found;
  });
}
