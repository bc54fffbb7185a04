import { readUint64, writeUint64 } from "../../base/bytes.ts";
import type { Instant } from "../../base/clock.ts";
import { DamagedData } from "../../base/faults.ts";
import type { PolicyRecord } from "./policy.ts";
import { recordType } from "./record.ts";

export interface QueueRecord {
  /** Its messages are keyed by this id. */
  readonly contents: bigint;
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly PolicyRecord[];
}

const description = recordType<Omit<QueueRecord, "contents">>("queue", 1);
const CONTENTS_BYTES = 8;

/** The id comes first, 8 bytes, because most operations need nothing else. */
export const queueRecord = {
  pack({ contents, metadata, policies }: QueueRecord): Buffer {
    const rest = description.pack({ metadata, policies });
    const bytes = Buffer.allocUnsafe(CONTENTS_BYTES + rest.length);
    writeUint64(bytes, contents, 0);
    bytes.set(rest, CONTENTS_BYTES);
    return bytes;
  },
  unpack(bytes: Buffer): QueueRecord {
    return { contents: this.contentsOf(bytes), ...description.unpack(bytes.subarray(CONTENTS_BYTES)) };
  },
  contentsOf: (bytes: Buffer): bigint => readUint64(bytes, 0),
};

/**
 * A message at fixed offsets, because it is the most frequent record. Its key has the time of its visibility
 * and its sequence.
 *
 *   0 version 1   1 insertedAt (8)   9 expiresAt (8)   17 dequeueCount (4)   21 stamp (8)   29 text, UTF-8
 */
export interface MessageRecord {
  readonly insertedAt: Instant;
  readonly expiresAt: Instant;
  readonly dequeueCount: number;
  readonly stamp: bigint;
  readonly text: Uint8Array;
}

const MESSAGE_VERSION = 1;
const TEXT_AT = 29;

export const messageRecord = {
  pack({ insertedAt, expiresAt, dequeueCount, stamp, text }: MessageRecord): Buffer {
    const bytes = Buffer.allocUnsafe(TEXT_AT + text.length);
    bytes[0] = MESSAGE_VERSION;
    bytes.writeDoubleBE(insertedAt, 1);
    bytes.writeDoubleBE(expiresAt, 9);
    bytes.writeUInt32BE(dequeueCount, 17);
    writeUint64(bytes, stamp, 21);
    bytes.set(text, TEXT_AT);
    return bytes;
  },
  /** Changes a packed message for Get Messages or Update Message without its text. */
  restamp(bytes: Buffer, dequeueCount: number, stamp: bigint): void {
    bytes.writeUInt32BE(dequeueCount, 17);
    writeUint64(bytes, stamp, 21);
  },
  /** `text` is a view of `bytes`. */
  unpack(bytes: Buffer): MessageRecord & { readonly text: Buffer } {
    checkVersion("message", bytes[0], MESSAGE_VERSION);
    return {
      insertedAt: bytes.readDoubleBE(1),
      expiresAt: bytes.readDoubleBE(9),
      dequeueCount: bytes.readUInt32BE(17),
      stamp: readUint64(bytes, 21),
      text: bytes.subarray(TEXT_AT),
    };
  },
};

/**
 * Counters of the contents of a queue.
 *
 *   0  version 2    1  count (8)    9  headVisibleAt (8)    17  headSequence (8)    25  sweepAt (8)
 */
export interface CounterRecord {
  /** The number of messages, including expired ones that are not removed yet. */
  readonly count: number;
  /** No message has a key below (headVisibleAt, headSequence), so that a scan begins there. */
  readonly headVisibleAt: Instant;
  readonly headSequence: bigint;
  /** The last scheduled sweep, 0 for none: a message that expires before it needs no other. */
  readonly sweepAt: Instant;
}

const COUNTER_VERSION = 2;

export const counterRecord = {
  pack({ count, headVisibleAt, headSequence, sweepAt }: CounterRecord): Buffer {
    const bytes = Buffer.allocUnsafe(33);
    bytes[0] = COUNTER_VERSION;
    bytes.writeDoubleBE(count, 1);
    bytes.writeDoubleBE(headVisibleAt, 9);
    writeUint64(bytes, headSequence, 17);
    bytes.writeDoubleBE(sweepAt, 25);
    return bytes;
  },
  unpack(bytes: Buffer): CounterRecord {
    // The first version had no `sweepAt`: its messages have sweeps of their own.
    const isFirst = bytes[0] === 1;
    if (!isFirst) checkVersion("queue counter", bytes[0], COUNTER_VERSION);
    return {
      count: bytes.readDoubleBE(1),
      headVisibleAt: bytes.readDoubleBE(9),
      headSequence: readUint64(bytes, 17),
      sweepAt: isFirst ? 0 : bytes.readDoubleBE(25),
    };
  },
};

function checkVersion(family: string, found: number | undefined, current: number): void {
  if (found === current) return;
  throw new DamagedData(`record of family ${family} has version ${found}, this build knows ${current}`);
}
