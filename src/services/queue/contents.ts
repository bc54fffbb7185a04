import { assert } from "../../base/assert.ts";
import type { Instant } from "../../base/clock.ts";
import { type Message, NEVER, type Receipt } from "../../concurrency/visibility.ts";
import { counterKey, messageKey, movedMessageKey, readMessageKey, sweepKey } from "../../store/keys/queue.ts";
import type { Entry, Key, MaybePromise, Reader, RecordWrites, SyncReader } from "../../store/kv.ts";
import { type CounterRecord, counterRecord, messageRecord } from "../../store/records/queue.ts";
import { QUEUE_LIMITS } from "./limits.ts";
import { type QueueRef, readContentsId } from "./queue-ref.ts";

/** What the operations on messages have in common. */

/** The state of a message, and its text in UTF-8. */
export interface MessageContent {
  readonly state: Message;
  readonly text: Uint8Array;
}

/** A message and the entry it was read from. */
export interface StoredMessage extends MessageContent {
  readonly entry: Entry;
}

/** Decodes an entry of `messagesOf` or `messageKey`. */
export function messageOf(entry: Entry): StoredMessage {
  const { insertedAt, expiresAt, dequeueCount, stamp, text } = messageRecord.unpack(entry.value);
  const { visibleAt, sequence } = readMessageKey(entry.key);
  return { state: { sequence, visibleAt, stamp, insertedAt, expiresAt, dequeueCount }, text, entry };
}

/** The message that a receipt addresses, and the counter, in one read. */
export function readMessageAndCounter(
  read: SyncReader,
  contents: bigint,
  { visibleAt, sequence }: Receipt,
): { readonly found: StoredMessage | undefined; readonly counter: CounterRecord } {
  const key = messageKey(contents, visibleAt, sequence);
  const [value, counter] = read.getMany([key, counterKey(contents)]);
  return { found: value === undefined ? undefined : messageOf({ key, value }), counter: counterOf(counter) };
}

/** Puts a message. The caller updates the counter. */
export function storeMessage(write: RecordWrites, contents: bigint, { state, text }: MessageContent): void {
  const { sequence, visibleAt, expiresAt, insertedAt, dequeueCount, stamp } = state;
  const value = messageRecord.pack({ insertedAt, expiresAt, dequeueCount, stamp, text });
  write.put(messageKey(contents, visibleAt, sequence), value);
}

/**
 * Moves a message to the key of its next state and keeps its text. It changes the bytes that were read, so
 * the caller reads nothing after it.
 */
export function moveMessage(write: RecordWrites, { entry }: StoredMessage, next: Message): void {
  write.delete(entry.key);
  messageRecord.restamp(entry.value, next.dequeueCount, next.stamp);
  write.put(movedMessageKey(entry.key, next.visibleAt), entry.value);
}

/**
 * The counter is one small record that every Put, Get and Delete changes. Transactions run one after another
 * and share their commit, so a hot record costs each of them a few microseconds and the disk one page.
 */
export function readCounter(read: SyncReader, contents: bigint): CounterRecord {
  return counterOf(read.get(counterKey(contents)));
}

/** Where the messages of a queue are. */
export function readContents(
  read: Reader,
  ref: QueueRef,
): MaybePromise<{ readonly contents: bigint; readonly counter: CounterRecord }> {
  return read.view((records) => {
    const contents = readContentsId(records, ref);
    return { contents, counter: readCounter(records, contents) };
  });
}

function counterOf(bytes: Buffer | undefined): CounterRecord {
  return bytes === undefined
    ? { count: 0, headVisibleAt: 0, headSequence: 0n, sweepAt: 0 }
    : counterRecord.unpack(bytes);
}

export function putCounter(write: RecordWrites, contents: bigint, counter: CounterRecord): void {
  assert(counter.count >= 0, "a queue has a negative number of messages");
  write.put(counterKey(contents), counterRecord.pack(counter));
}

/** The counter after a message was put: its head is not after that message. */
export function withMessageAt(counter: CounterRecord, { visibleAt, sequence }: Message): CounterRecord {
  const isAfterHead =
    visibleAt > counter.headVisibleAt ||
    (visibleAt === counter.headVisibleAt && sequence >= counter.headSequence);
  return isAfterHead ? counter : { ...counter, headVisibleAt: visibleAt, headSequence: sequence };
}

const SWEEP = Buffer.alloc(0);

/**
 * Schedules a sweep of the queue soon after this new message expires, and returns the counter that notes it.
 */
export function withSweepFor(
  write: RecordWrites,
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
 * When to sweep for an expired message: together with those that expire at about the same time. The longer
 * messages live, the rarer the sweeps; the steps are powers of two, so that messages of different lifetimes
 * share sweeps.
 */
function sweepTime({ insertedAt, expiresAt }: Message): Instant {
  const longest = Math.max(
    (expiresAt - insertedAt) / QUEUE_LIMITS.sweepsPerTimeToLive,
    QUEUE_LIMITS.sweepIntervalMillis,
  );
  const step = 2 ** Math.floor(Math.log2(longest));
  return Math.ceil(expiresAt / step) * step;
}

/** The keys of the visible messages: from the head to the last key that is visible at `now`. */
export function visibleRange(contents: bigint, counter: CounterRecord, now: Instant): { from: Key; to: Key } {
  return {
    from: messageKey(contents, counter.headVisibleAt, counter.headSequence),
    to: messageKey(contents, now + 1, 0n),
  };
}
