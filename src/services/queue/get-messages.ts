import type { Instant, Millis } from "../../base/clock.ts";
import { dequeueMessage, isExpired, type Receipt } from "../../concurrency/visibility.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Writer } from "../../store/kv.ts";
import type { CounterRecord } from "../../store/records/queue.ts";
import {
  messageOf,
  moveMessage,
  putCounter,
  readContents,
  type StoredMessage,
  visibleRange,
  withMessageAt,
} from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { QUEUE_LIMITS } from "./limits.ts";
import type { QueueRef } from "./queue-ref.ts";

export interface GetMessages {
  readonly ref: QueueRef;
  readonly count: number;
  readonly visibilityTimeout: Millis;
}

export interface PeekedMessage {
  readonly messageId: string;
  readonly insertedAt: Instant;
  readonly expiresAt: Instant;
  readonly dequeueCount: number;
  /** UTF-8. */
  readonly text: Uint8Array;
}

export interface DequeuedMessage extends PeekedMessage {
  readonly visibleAt: Instant;
  readonly receipt: Receipt;
}

/**
 * Get Messages chooses, counts and hides messages in one transaction. Transactions are serializable over all
 * processes, so two clients never get the same message while it is hidden. The reply is sent once it is
 * durable.
 *
 * One transaction removes a limited number of expired messages. While there are only such at the head, it
 * runs again: an empty reply would mean that the queue has no visible message.
 */
export async function getMessages(context: QueueContext, request: GetMessages): Promise<DequeuedMessage[]> {
  for (let step = 0; step < QUEUE_LIMITS.expiredStepsMax; step++) {
    const messages = await dequeue(context, request);
    if (messages !== "onlyExpired") return messages;
  }
  return [];
}

function dequeue(
  { store, stamps, messageIds }: QueueContext,
  { ref, count, visibilityTimeout }: GetMessages,
): Promise<DequeuedMessage[] | "onlyExpired"> {
  const stamp = stamps.next();
  return store.write(async (write) => {
    const now = write.now();
    const { contents, found, counter, isOnlyExpired } = await readHead(write, ref, count);
    const messages = found.map((message) => {
      const { state, text } = message;
      const next = dequeueMessage(state, { stamp, now, visibilityTimeout });
      moveMessage(write, message, next);
      const { sequence, insertedAt, expiresAt, visibleAt, dequeueCount } = next;
      const messageId = messageIds.print(contents, sequence);
      return { messageId, insertedAt, expiresAt, dequeueCount, text, visibleAt, receipt: next };
    });
    if (counter !== undefined) putCounter(write, contents, counter);
    return isOnlyExpired ? "onlyExpired" : messages;
  });
}

/** Removes some of the expired messages at the head, for a Peek that reads no further. */
export function removeExpiredHead({ store }: QueueContext, ref: QueueRef): Promise<void> {
  return store.write(async (write) => {
    const { contents, found, counter } = await readHead(write, ref, 1);
    if (counter === undefined) return;
    const [first] = found;
    putCounter(write, contents, first === undefined ? counter : withMessageAt(counter, first.state));
  });
}

interface Head {
  readonly contents: bigint;
  readonly found: readonly StoredMessage[];
  /** Undefined when nothing has changed: a Get from an empty queue writes nothing. */
  readonly counter: CounterRecord | undefined;
  /** Only expired messages were found, and there may be visible ones after them. */
  readonly isOnlyExpired: boolean;
}

/**
 * The first visible messages, which the caller moves. It deletes expired ones before them and moves the head
 * of the counter past all of these, so that the next Get does not scan their former keys.
 */
async function readHead(write: Writer, ref: QueueRef, count: number): Promise<Head> {
  const now = write.now();
  const { contents, counter } = await readContents(write, ref);
  const { from: head, to } = visibleRange(contents, counter, now);
  const found: StoredMessage[] = [];
  let from = head;
  let dropped = 0;
  let isAtEnd = false;
  let last: StoredMessage["state"] | undefined;
  while (found.length < count && !isAtEnd && dropped < QUEUE_LIMITS.expiredPerStepMax) {
    // After an expired message there are mostly more: read one by one, each would cost a round trip to a
    // database.
    const limit = dropped === 0 ? count - found.length : QUEUE_LIMITS.messagesPerGetMax;
    const page = await write.take({ from, to }, limit);
    isAtEnd = page.length < limit;
    for (const entry of page) {
      if (found.length === count) {
        isAtEnd = false;
        break;
      }
      const message = messageOf(entry);
      last = message.state;
      if (isExpired(message.state, now)) {
        write.delete(entry.key);
        dropped++;
      } else {
        found.push(message);
      }
      from = keyAfter(entry.key);
    }
  }
  if (last === undefined) return { contents, found, counter: undefined, isOnlyExpired: false };
  const next = isAtEnd
    ? { headVisibleAt: now + 1, headSequence: 0n }
    : { headVisibleAt: last.visibleAt, headSequence: last.sequence + 1n };
  const isOnlyExpired = found.length === 0 && !isAtEnd;
  const changed = { ...counter, count: counter.count - dropped, ...next };
  return { contents, found, counter: changed, isOnlyExpired };
}
