import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  QueueServiceClient,
  RestError,
  StorageSharedKeyCredential as SharedKey,
  type StorageSharedKeyCredential,
} from "@azure/storage-queue";
import { type Millis, seconds } from "../../src/base/clock.ts";
import { Refusal } from "../../src/base/refusals.ts";
import { parseReceipt, printReceipt } from "../../src/concurrency/visibility.ts";
import { clearMessages } from "../../src/services/queue/clear-messages.ts";
import { queueContext } from "../../src/services/queue/context.ts";
import { createQueue } from "../../src/services/queue/create-queue.ts";
import { deleteMessage } from "../../src/services/queue/delete-message.ts";
import { deleteQueue } from "../../src/services/queue/delete-queue.ts";
import { getMessages } from "../../src/services/queue/get-messages.ts";
import { getQueueMetadata } from "../../src/services/queue/get-queue-metadata.ts";
import { peekMessages } from "../../src/services/queue/peek-messages.ts";
import { putMessage } from "../../src/services/queue/put-message.ts";
import { updateMessage } from "../../src/services/queue/update-message.ts";
import type { TestServer } from "./server.ts";

/**
 * The message operations of one queue, as a test story sees them: through the service itself, or through the
 * Azure SDK over HTTP. Times are whole seconds since 1970, as the wire has them; a refusal is an Error with
 * its code.
 */
export interface QueueFace {
  put(text: string, options?: { delay?: number; timeToLive?: number }): Promise<Put>;
  get(options?: { count?: number; hideFor?: number }): Promise<Got[]>;
  peek(count?: number): Promise<Peeked[]>;
  update(
    held: Held,
    options: { hideFor: number; text?: string },
  ): Promise<{ receipt: string; visibleAt: number }>;
  delete(held: Held): Promise<void>;
  clear(): Promise<void>;
  count(): Promise<number>;
  dropQueue(): Promise<void>;
  createQueue(): Promise<void>;
}

export interface Held {
  readonly id: string;
  readonly receipt: string;
}

export interface Put extends Held {
  readonly insertedAt: number;
  readonly expiresAt: number;
  readonly visibleAt: number;
}

export interface Peeked {
  readonly id: string;
  readonly text: string;
  readonly insertedAt: number;
  readonly expiresAt: number;
  readonly dequeueCount: number;
}

export interface Got extends Peeked, Held {
  readonly visibleAt: number;
}

export const FACES = ["service", "http"] as const;
export type FaceName = (typeof FACES)[number];

const whole = (instant: Millis): number => Math.floor(instant / 1_000);

export async function openFace(server: TestServer, name: FaceName, queue: string): Promise<QueueFace> {
  const face = name === "service" ? serviceFace(server, queue) : httpFace(server, queue);
  await face.createQueue();
  return face;
}

function serviceFace(server: TestServer, queue: string): QueueFace {
  const queues = queueContext(server.runtime.parts);
  const ref = { account: server.account, queue };
  const named = ({ id, receipt }: Held) => {
    const parsed = parseReceipt(receipt);
    if (parsed === undefined) throw new Refusal("InvalidQueryParameterValue");
    return { ref, messageId: id, receipt: parsed };
  };
  return {
    put: async (text, { delay = 0, timeToLive = 604_800 } = {}) => {
      const put = await putMessage(queues, {
        ref,
        text: Buffer.from(text),
        visibilityTimeout: seconds(delay),
        timeToLive: timeToLive === -1 ? "never" : seconds(timeToLive),
      });
      return {
        id: put.messageId,
        receipt: printReceipt(put.receipt),
        insertedAt: whole(put.insertedAt),
        expiresAt: whole(put.expiresAt),
        visibleAt: whole(put.visibleAt),
      };
    },
    get: async ({ count = 1, hideFor = 30 } = {}) => {
      const taken = await getMessages(queues, { ref, count, visibilityTimeout: seconds(hideFor) });
      return taken.map((message) => ({
        id: message.messageId,
        receipt: printReceipt(message.receipt),
        text: Buffer.from(message.text).toString(),
        insertedAt: whole(message.insertedAt),
        expiresAt: whole(message.expiresAt),
        visibleAt: whole(message.visibleAt),
        dequeueCount: message.dequeueCount,
      }));
    },
    peek: async (count = 1) => {
      const given = await peekMessages(queues, { ref, count });
      return given.map((message) => ({
        id: message.messageId,
        text: Buffer.from(message.text).toString(),
        insertedAt: whole(message.insertedAt),
        expiresAt: whole(message.expiresAt),
        dequeueCount: message.dequeueCount,
      }));
    },
    update: async (held, { hideFor, text }) => {
      const next = await updateMessage(queues, {
        ...named(held),
        visibilityTimeout: seconds(hideFor),
        text: text === undefined ? undefined : Buffer.from(text),
      });
      return { receipt: printReceipt(next), visibleAt: whole(next.visibleAt) };
    },
    delete: async (held) => deleteMessage(queues, named(held)),
    clear: () => clearMessages(queues, ref),
    count: async () => (await getQueueMetadata(queues, ref)).approximateMessagesCount,
    dropQueue: () => deleteQueue(queues, ref),
    createQueue: async () => {
      await createQueue(queues, ref, {});
    },
  };
}

/** A client that the moved clock does not lock out: a Shared Key names its date, a SAS only its end. */
export function queuesClient(server: TestServer): QueueServiceClient {
  const credential = new SharedKey(server.account, server.key) as StorageSharedKeyCredential;
  const sas = generateAccountSASQueryParameters(
    {
      expiresOn: new Date(Date.UTC(9999, 0, 1)),
      permissions: AccountSASPermissions.parse("rwdlacup"),
      resourceTypes: AccountSASResourceTypes.parse("sco").toString(),
      services: AccountSASServices.parse("q").toString(),
    },
    credential,
  );
  return new QueueServiceClient(`${server.endpoints.queue}/${server.account}?${sas}`, undefined, {
    retryOptions: { maxTries: 1 },
  });
}

function httpFace(server: TestServer, queue: string): QueueFace {
  const client = queuesClient(server).getQueueClient(queue);
  return {
    put: async (text, { delay, timeToLive } = {}) => {
      const put = await client.sendMessage(text, {
        ...(delay === undefined ? {} : { visibilityTimeout: delay }),
        ...(timeToLive === undefined ? {} : { messageTimeToLive: timeToLive }),
      });
      return {
        id: put.messageId,
        receipt: put.popReceipt,
        insertedAt: whole(put.insertedOn.getTime()),
        expiresAt: whole(put.expiresOn.getTime()),
        visibleAt: whole(put.nextVisibleOn.getTime()),
      };
    },
    get: async ({ count = 1, hideFor } = {}) => {
      const { receivedMessageItems } = await client.receiveMessages({
        numberOfMessages: count,
        ...(hideFor === undefined ? {} : { visibilityTimeout: hideFor }),
      });
      return receivedMessageItems.map((item) => ({
        id: item.messageId,
        receipt: item.popReceipt,
        text: item.messageText,
        insertedAt: whole(item.insertedOn.getTime()),
        expiresAt: whole(item.expiresOn.getTime()),
        visibleAt: whole(item.nextVisibleOn.getTime()),
        dequeueCount: item.dequeueCount,
      }));
    },
    peek: async (count = 1) => {
      const { peekedMessageItems } = await client.peekMessages({ numberOfMessages: count });
      return peekedMessageItems.map((item) => ({
        id: item.messageId,
        text: item.messageText,
        insertedAt: whole(item.insertedOn.getTime()),
        expiresAt: whole(item.expiresOn.getTime()),
        dequeueCount: item.dequeueCount,
      }));
    },
    update: async ({ id, receipt }, { hideFor, text }) => {
      const updated = await client.updateMessage(id, receipt, text, hideFor);
      return { receipt: updated.popReceipt!, visibleAt: whole(updated.nextVisibleOn!.getTime()) };
    },
    delete: async ({ id, receipt }) => {
      await client.deleteMessage(id, receipt);
    },
    clear: async () => {
      await client.clearMessages();
    },
    count: async () => (await client.getProperties()).approximateMessagesCount ?? Number.NaN,
    dropQueue: async () => {
      await client.delete();
    },
    createQueue: async () => {
      await client.create();
    },
  };
}

/** For `assert.rejects`: the refusal of that code, thrown here or told by the server. */
export function refusedWith(code: string): (error: unknown) => boolean {
  return (error) => codeOf(error) === code;
}

export function codeOf(error: unknown): string {
  if (error instanceof Refusal) return error.code;
  if (error instanceof RestError) return error.code ?? String(error.statusCode);
  return String(error);
}
