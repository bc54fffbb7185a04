import type { Instant, Millis } from "../../base/clock.ts";
import { isExpired, type Receipt, takeMessage } from "../../concurrency/visibility.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Writer } from "../../store/kv.ts";
import type { CounterRecord } from "../../store/records/queue.ts";
import {
  messageOf,
  moveMessage,
  putCounter,
  readCounter,
  type StoredMessage,
  visibleRange,
  withMessageAt,
} from "./contents.ts";
import type { QueueContext } from "./context.ts";
import { QUEUE_LIMITS } from "./limits.ts";
import { printMessageId } from "./message-id.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

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
 * Chooses, counts and hides in one transaction. Transactions are serializable over all processes, so two readers
 * never get the same message while it is hidden; and the reply leaves when the hiding is durable.
 *
 * Where more messages have expired in front than one transaction may remove, it takes several: an empty answer would
 * say that there is nothing to do.
 */
export async function getMessages(context: QueueContext, request: GetMessages): Promise<DequeuedMessage[]> {
  let taken = await takeHead(context, request);
  for (let step = 1; taken === "onlyExpired" && step < QUEUE_LIMITS.expiredStepsMax; step++) {
    taken = await takeHead(context, request);
  }
  return taken === "onlyExpired" ? [] : taken;
}

function takeHead(
  { store, stamps }: QueueContext,
  { ref, count, visibilityTimeout }: GetMessages,
): Promise<DequeuedMessage[] | "onlyExpired"> {
  const stamp = stamps.next();
  return store.write(async (write) => {
    const contents = await readContentsId(write, ref);
    const now = write.now();
    const { found, counter, isCutShort } = await readHead(write, contents, { count, now });
    const taken = found.map((message) => {
      const { state, text } = message;
      const next = takeMessage(state, { stamp, now, visibilityTimeout });
      moveMessage(write, message, next);
      const { sequence, insertedAt, expiresAt, visibleAt, dequeueCount } = next;
      const messageId = printMessageId(contents, sequence);
      return { messageId, insertedAt, expiresAt, dequeueCount, text, visibleAt, receipt: next };
    });
    if (counter !== undefined) putCounter(write, contents, counter);
    return isCutShort ? "onlyExpired" : taken;
  });
}

/** One step of removing the expired messages in front of the first living one, for a Peek that cannot see past them. */
export function removeExpiredHead({ store }: QueueContext, ref: QueueRef): Promise<void> {
  return store.write(async (write) => {
    const contents = await readContentsId(write, ref);
    const { found, counter } = await readHead(write, contents, { count: 1, now: write.now() });
    if (counter === undefined) return;
    const [living] = found;
    putCounter(write, contents, living === undefined ? counter : withMessageAt(counter, living.state));
  });
}

interface Head {
  readonly found: readonly StoredMessage[];
  /** Undefined when nothing has changed: a Get of an empty queue writes nothing. */
  readonly counter: CounterRecord | undefined;
  /** Nothing but expired messages so far, and there may be others behind them. */
  readonly isCutShort: boolean;
}

/**
 * The first visible messages, for the caller to move. Expired ones on the way are dropped; the head of the counter
 * moves past all of them, so the next Get does not walk over where they were.
 */
async function readHead(
  write: Writer,
  contents: bigint,
  { count, now }: { readonly count: number; readonly now: Instant },
): Promise<Head> {
  const counter = await readCounter(write, contents);
  const { from: head, to } = visibleRange(contents, counter, now);
  const found: StoredMessage[] = [];
  let from = head;
  let dropped = 0;
  let isAtEnd = false;
  let last: StoredMessage["state"] | undefined;
  while (found.length < count && !isAtEnd && dropped < QUEUE_LIMITS.expiredPerStepMax) {
    // Behind an expired message there are mostly more: one by one, each would cost a database a round trip.
    const asked = dropped === 0 ? count - found.length : QUEUE_LIMITS.messagesPerGetMax;
    const page = await write.take({ from, to }, asked);
    isAtEnd = page.length < asked;
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
  if (last === undefined) return { found, counter: undefined, isCutShort: false };
  const next = isAtEnd
    ? { headVisibleAt: now + 1, headSequence: 0n }
    : { headVisibleAt: last.visibleAt, headSequence: last.sequence + 1n };
  const isCutShort = found.length === 0 && !isAtEnd;
  return { found, counter: { ...counter, count: counter.count - dropped, ...next }, isCutShort };
}
