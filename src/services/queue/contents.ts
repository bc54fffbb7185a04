import { assert } from "../../base/assert.ts";
import type { Instant } from "../../base/clock.ts";
import { QUEUE_LIMITS } from "../../base/limits-queue.ts";
import { type Message, NEVER, type Receipt } from "../../concurrency/visibility.ts";
import { messageKey, movedMessageKey, readMessageKey, sweepKey, tallyKey } from "../../store/keys/queue.ts";
import type { Entry, Key, Reader, Soon, Writer } from "../../store/kv.ts";
import { messageRecord, type TallyRecord, tallyRecord } from "../../store/records/queue.ts";

/** A message as it is kept: its state, and its text in UTF-8. */
export interface KeptMessage {
  readonly state: Message;
  readonly text: Uint8Array;
}

/** A message and the entry it was read from. */
export interface StoredMessage extends KeptMessage {
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
): Soon<StoredMessage | undefined> {
  const key = messageKey(contents, visibleAt, sequence);
  const found = read.get(key);
  const asMessage = (value: Buffer | undefined): StoredMessage | undefined =>
    value === undefined ? undefined : messageOf({ key, value });
  return found instanceof Promise ? found.then(asMessage) : asMessage(found);
}

/** Puts a message. The tally is the caller's to keep. */
export function keepMessage(write: Writer, contents: bigint, { state, text }: KeptMessage): void {
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
 * The tally is one small record that every Put, Get and Delete changes. Transactions run one after another and
 * share their commit, so a hot record costs each of them a few microseconds and the disk one page.
 */
export function readTally(read: Reader, contents: bigint): Soon<TallyRecord> {
  const found = read.get(tallyKey(contents));
  return found instanceof Promise ? found.then(tallyOf) : tallyOf(found);
}

function tallyOf(bytes: Buffer | undefined): TallyRecord {
  return bytes === undefined
    ? { count: 0, headVisibleAt: 0, headSequence: 0n, sweepAt: 0 }
    : tallyRecord.unpack(bytes);
}

export function putTally(write: Writer, contents: bigint, tally: TallyRecord): void {
  assert(tally.count >= 0, "a queue holds fewer than no messages");
  write.put(tallyKey(contents), tallyRecord.pack(tally));
}

/** The same tally, with a head that is not behind a message that was put there just now. */
export function withMessageAt(tally: TallyRecord, { visibleAt, sequence }: Message): TallyRecord {
  const isBehindHead =
    visibleAt > tally.headVisibleAt || (visibleAt === tally.headVisibleAt && sequence >= tally.headSequence);
  return isBehindHead ? tally : { ...tally, headVisibleAt: visibleAt, headSequence: sequence };
}

const SWEEP = Buffer.alloc(0);

/** The same tally, when the queue will be looked through soon after this new message has expired. */
export function withSweepFor(
  write: Writer,
  contents: bigint,
  { tally, message }: { readonly tally: TallyRecord; readonly message: Message },
): TallyRecord {
  if (message.expiresAt >= NEVER) return tally;
  const sweepAt = sweepTime(message);
  if (sweepAt === tally.sweepAt) return tally;
  write.put(sweepKey(sweepAt, contents), SWEEP);
  return { ...tally, sweepAt };
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
export function visibleRange(contents: bigint, tally: TallyRecord, now: Instant): { from: Key; to: Key } {
  return {
    from: messageKey(contents, tally.headVisibleAt, tally.headSequence),
    to: messageKey(contents, now + 1, 0n),
  };
}
