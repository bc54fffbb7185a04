import type { Instant, Millis } from "../../base/clock.ts";
import { badQuery } from "../../base/refusals.ts";
import { insertMessage, type Receipt } from "../../concurrency/visibility.ts";
import { putCounter, readCounter, storeMessage, withMessageAt, withSweepFor } from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

export interface PutMessage {
  readonly ref: QueueRef;
  /** UTF-8. */
  readonly text: Uint8Array;
  readonly visibilityTimeout: Millis;
  readonly timeToLive: Millis | "never";
}

export interface PutMessageResult {
  readonly messageId: string;
  readonly insertedAt: Instant;
  readonly expiresAt: Instant;
  readonly visibleAt: Instant;
  readonly receipt: Receipt;
}

export function putMessage(
  { store, stamps, messageIds }: QueueContext,
  request: PutMessage,
): Promise<PutMessageResult> {
  const { ref, text, visibilityTimeout, timeToLive } = request;
  const stamp = stamps.next();
  return store.update((write) => {
    const contents = readContentsId(write, ref);
    const before = readCounter(write, contents);
    const sequence = write.revision();
    const outcome = insertMessage({ sequence, stamp, now: write.now(), visibilityTimeout, timeToLive });
    if (!outcome.ok) throw outlivesMessage(visibilityTimeout);
    const state = outcome.next;
    storeMessage(write, contents, { state, text });
    const counter = withSweepFor(write, contents, { counter: withMessageAt(before, state), message: state });
    putCounter(write, contents, { ...counter, count: counter.count + 1 });
    const { insertedAt, expiresAt, visibleAt } = state;
    const messageId = messageIds.print(contents, sequence);
    return { messageId, insertedAt, expiresAt, visibleAt, receipt: state };
  });
}

export function outlivesMessage(visibilityTimeout: Millis): ReturnType<typeof badQuery> {
  const value = String(visibilityTimeout / 1_000);
  return badQuery("visibilitytimeout", value, "The message would not be visible before it expires.");
}
