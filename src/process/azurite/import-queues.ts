import { createHash } from "node:crypto";
import { type Message, NEVER } from "../../concurrency/visibility.ts";
import {
  messageOf,
  putCounter,
  readCounter,
  storeMessage,
  withMessageAt,
  withSweepFor,
} from "../../services/queue/contents.ts";
import type { QueueContext } from "../../services/queue/context.ts";
import { findQueue, type QueueRef } from "../../services/queue/queue-ref.ts";
import { messagesOf, queueKey } from "../../store/keys/queue.ts";
import type { Reader } from "../../store/kv.ts";
import { type QueueRecord, queueRecord } from "../../store/records/queue.ts";
import { type Chunk, chunkOf, fieldsOf } from "./azurite-data.ts";
import { policiesOf } from "./fields.ts";
import { canonical, type ImportContext, type ImportStep } from "./import-step.ts";
import type { LokiRecord } from "./loki-file.ts";

/** Queues, and their messages. */

function queueOf(loki: LokiRecord): {
  readonly ref: QueueRef;
  readonly record: Omit<QueueRecord, "contents">;
} {
  const outer = fieldsOf(loki, "a queue");
  const ref = { account: outer.text("accountName"), queue: outer.text("name") };
  const fields = fieldsOf(loki, `the queue ${ref.account}/${ref.queue}`);
  return {
    ref,
    record: { metadata: fields.optionalTexts("metadata") ?? {}, policies: policiesOf(fields, "queueAcl") },
  };
}

export const queueStep: ImportStep = {
  file: "queue",
  isIn: (collection) => collection === "$QUEUES_COLLECTION$",
  async prepare(_, loki) {
    const { ref, record } = queueOf(loki);
    return {
      async write(write) {
        const bytes = queueRecord.pack({ contents: write.revision(), ...record });
        write.put(queueKey(ref.account, ref.queue), bytes);
        return "imported";
      },
    };
  },
  async compare(_, read, loki) {
    const { ref, record } = queueOf(loki);
    const { contents: _contents, ...stored } = (await read.view((records) => findQueue(records, ref))) ?? {
      contents: 0n,
    };
    return canonical(stored) === canonical(record) ? undefined : `the queue ${ref.queue}`;
  },
};

interface AzuriteMessage {
  readonly name: string;
  readonly ref: QueueRef;
  readonly chunk: Chunk;
  readonly state: Omit<Message, "sequence" | "stamp">;
}

function messageIn(loki: LokiRecord): AzuriteMessage {
  const outer = fieldsOf(loki, "a message");
  const ref = { account: outer.text("accountName"), queue: outer.text("queueName") };
  const fields = fieldsOf(
    loki,
    `the message ${outer.optionalText("messageId")} of ${ref.account}/${ref.queue}`,
  );
  return {
    name: fields.name,
    ref,
    chunk: chunkOf(fields.fields("persistency")),
    state: {
      insertedAt: fields.time("insertionTime"),
      expiresAt: Math.min(fields.time("expirationTime"), NEVER),
      visibleAt: fields.time("timeNextVisible"),
      dequeueCount: fields.whole("dequeueCount"),
    },
  };
}

/**
 * A message gets an id and a receipt of our own: ours say where the message is stored. Messages keep their
 * order, because their sequences follow that of Azurite's file.
 */
export function messageStep({ stamps }: Pick<QueueContext, "stamps">): ImportStep {
  const sums = new MessageSums();
  return {
    file: "queue",
    isIn: (collection) => collection === "$MESSAGES_COLLECTION$",

    async prepare({ data }: ImportContext, loki) {
      const { name, ref, chunk, state } = messageIn(loki);
      const text = await data.readAll("queue", chunk, name);
      const stamp = stamps.next();
      return {
        write: async (write) =>
          write.update((records) => {
            const contents = findQueue(records, ref)?.contents;
            if (contents === undefined) return "orphan";
            const message = { ...state, sequence: records.revision(), stamp };
            storeMessage(records, contents, { state: message, text });
            const before = readCounter(records, contents);
            const counter = withSweepFor(records, contents, {
              counter: withMessageAt(before, message),
              message,
            });
            putCounter(records, contents, { ...counter, count: before.count + 1 });
            return "imported";
          }),
      };
    },

    /** Messages have no key of their own, so sums over each queue are compared, at its first message. */
    async compare({ data }, read, loki) {
      const { name, ref, chunk, state } = messageIn(loki);
      const contents = (await read.view((records) => findQueue(records, ref)))?.contents;
      if (contents === undefined) return undefined;
      const isComplete = await sums.subtract(read, contents, state, await data.readAll("queue", chunk, name));
      return isComplete ? undefined : `a message of the queue ${ref.queue}`;
    },
  };
}

type MessageState = AzuriteMessage["state"];

/** For each queue, the sum of the hashes of its stored messages, less those of Azurite seen so far. */
class MessageSums {
  readonly #rest = new Map<bigint, { count: number; sum: bigint }>();

  /** False when all messages of the queue were subtracted, and the sum is not zero. */
  async subtract(read: Reader, contents: bigint, state: MessageState, text: Uint8Array): Promise<boolean> {
    const rest = this.#rest.get(contents) ?? (await this.#stored(read, contents));
    rest.count--;
    rest.sum -= hashOf(state, text);
    if (rest.count > 0) return true;
    return rest.count === 0 && rest.sum === 0n;
  }

  async #stored(read: Reader, contents: bigint): Promise<{ count: number; sum: bigint }> {
    const rest = { count: 0, sum: 0n };
    for await (const entry of read.range(messagesOf(contents))) {
      const { state, text } = messageOf(entry);
      rest.count++;
      rest.sum += hashOf(state, text);
    }
    this.#rest.set(contents, rest);
    return rest;
  }
}

function hashOf({ insertedAt, expiresAt, visibleAt, dequeueCount }: MessageState, text: Uint8Array): bigint {
  const hash = createHash("sha256").update(`${insertedAt} ${expiresAt} ${visibleAt} ${dequeueCount} `);
  return hash.update(text).digest().readBigUInt64BE();
}
