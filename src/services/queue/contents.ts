import { assert } from "../../base/assert.ts";
import type { Instant } from "../../base/clock.ts";
import { type Message, NEVER, type Receipt } from "../../concurrency/visibility.ts";
import { counterKey, messageKey, movedMessageKey, readMessageKey, sweepKey } from "../../store/keys/queue.ts";
import type { Entry, Key, MaybePromise, Reader, Writer } from "../../store/kv.ts";
import { type CounterRecord, counterRecord, messageRecord } from "../../store/records/queue.ts";
import { QUEUE_LIMITS } from "./limits.ts";

/** The state of a message, and its text in UTF-8. */
export interface MessageContent {
  readonly state: Message;
  readonly text: Uint8Array;
}

/** A message and the entry it was read from. */
export interface StoredMessage extends MessageContent {
  readonly entry: Entry;
}

/** The message at an entry of the range that `messagesOf` or `messageKey` describe. */
export function messageOf(entry: Entry): StoredMessage {
  const { insertedAt, expiresAt, dequeueCount, stamp, text } = messageRecord.unpack(entry.value);
  const { visibleAt, sequence } = readMessageKey(entry.key);
  return { state: { sequence, visibleAt, stamp, insertedAt, expiresAt, dequeueCount }, text, entry };
}

/** What the store has at the address a receipt gives. */
export function findMessage(
  read: Reader,
  contents: bigint,
  { visibleAt, sequence }: Receipt,
): MaybePromise<StoredMessage | undefined> {
  const key = messageKey(contents, visibleAt, sequence);
  const found = read.get(key);
  const asMessage = (value: Buffer | undefined): StoredMessage | undefined =>
    value === undefined ? undefined : messageOf({ key, value });
  return found instanceof Promise ? found.then(asMessage) : asMessage(found);
}

/** Puts a message. The caller updates the counter. */
export function storeMessage(write: Writer, contents: bigint, { state, text }: MessageContent): void {
  const { sequence, visibleAt, expiresAt, insertedAt, dequeueCount, stamp } = state;
  const value = messageRecord.pack({ insertedAt, expiresAt, dequeueCount, stamp, text });
  write.put(messageKey(contents, visibleAt, sequence), value);
}

/** Moves a message to the place of its next state, its text as it is: the bytes that were read are written again. */
export function moveMessage(write: Writer, { entry }: StoredMessage, next: Message): void {
  write.delete(entry.key);
  messageRecord.restamp(entry.value, next.dequeueCount, next.stamp);
  write.put(movedMessageKey(entry.key, next.visibleAt), entry.value);
}

/**
 * The counter is one small record that every Put, Get and Delete changes. Transactions run one after another and
 * share their commit, so a hot record costs each of them a few microseconds and the disk one page.
 */
export function readCounter(read: Reader, contents: bigint): MaybePromise<CounterRecord> {
  const found = read.get(counterKey(contents));
  return found instanceof Promise ? found.then(counterOf) : counterOf(found);
}

function counterOf(bytes: Buffer | undefined): CounterRecord {
  return bytes === undefined
    ? { count: 0, headVisibleAt: 0, headSequence: 0n, sweepAt: 0 }
    : counterRecord.unpack(bytes);
}

export function putCounter(write: Writer, contents: bigint, counter: CounterRecord): void {
  assert(counter.count >= 0, "a queue holds fewer than no messages");
  write.put(counterKey(contents), counterRecord.pack(counter));
}

/** The same counter, with a head that is not behind a message that was put there just now. */
export function withMessageAt(counter: CounterRecord, { visibleAt, sequence }: Message): CounterRecord {
  const isBehindHead =
    visibleAt > counter.headVisibleAt ||
    (visibleAt === counter.headVisibleAt && sequence >= counter.headSequence);
  return isBehindHead ? counter : { ...counter, headVisibleAt: visibleAt, headSequence: sequence };
}

const SWEEP = Buffer.alloc(0);

/** The same counter, after scheduling a sweep of the queue soon after this new message expires. */
export function withSweepFor(
  write: Writer,
  contents: bigint,
  { counter, message }: { readonly counter: CounterRecord; readonly message: Message },
): CounterRecord {
  if (message.expiresAt >= NEVER) return counter;
  const sweepAt = sweepTime(message);
  if (sweepAt === counter.sweepAt) return counter;
  write.put(sweepKey(sweepAt, contents), SWEEP);
  return { ...counter, sweepAt };
}

/**
 * When to look for a message that has expired: with those that expire at about the same time. What lives longer is
 * looked for less often, and the steps are powers of two, so that messages of many times to live share them.
 */
function sweepTime({ insertedAt, expiresAt }: Message): Instant {
  const longest = Math.max(
    (expiresAt - insertedAt) / QUEUE_LIMITS.sweepsPerTimeToLive,
    QUEUE_LIMITS.sweepIntervalMillis,
  );
  const step = 2 ** Math.floor(Math.log2(longest));
  return Math.ceil(expiresAt / step) * step;
}

/** Where the visible messages are: from the head to the last key that is visible at `now`. */
export function visibleRange(contents: bigint, counter: CounterRecord, now: Instant): { from: Key; to: Key } {
  return {
    from: messageKey(contents, counter.headVisibleAt, counter.headSequence),
    to: messageKey(contents, now + 1, 0n),
  };
}
