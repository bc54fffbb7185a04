import { Refusal } from "../../base/refusals.ts";
import { printReceipt } from "../../concurrency/visibility.ts";
import type { DequeuedMessage, PeekedMessage } from "../../services/queue/get-messages.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import type { PutMessageResult } from "../../services/queue/put-message.ts";
import { bodyTooLarge } from "../common/read-headers.ts";
import { printHttpDate } from "../wire/dates.ts";
import { parseXml } from "../wire/xml.ts";
import { escapeText, printXml } from "../wire/xml-print.ts";
import { onlyChildren } from "../wire/xml-values.ts";

/** The bodies of the message operations, without their byte order mark. */

/** `<QueueMessage><MessageText>..</MessageText></QueueMessage>`: the text, in UTF-8. */
export function parseMessage(body: Uint8Array): Buffer {
  const root = parseXml(body);
  if (root.name !== "QueueMessage") throw malformed("The root element is not QueueMessage.");
  onlyChildren(root, ["MessageText"]);
  const text = root.textOf("MessageText");
  if (text === undefined) throw malformed("The element MessageText is missing.");
  const bytes = Buffer.from(text);
  if (bytes.length > QUEUE_LIMITS.messageTextBytesMax) throw bodyTooLarge(QUEUE_LIMITS.messageTextBytesMax);
  return bytes;
}

function malformed(reason: string): Refusal {
  return new Refusal("InvalidXmlDocument", { elements: { Reason: reason } });
}

export function printPutMessage({
  messageId,
  insertedAt,
  expiresAt,
  receipt,
  visibleAt,
}: PutMessageResult): string {
  const times = printTimes(messageId, insertedAt, expiresAt);
  return printList(`<QueueMessage>${times}${printHiding(printReceipt(receipt), visibleAt)}</QueueMessage>`);
}

export function printDequeued(messages: readonly DequeuedMessage[]): string {
  let list = "";
  for (const { messageId, insertedAt, expiresAt, visibleAt, receipt, dequeueCount, text } of messages) {
    const times = printTimes(messageId, insertedAt, expiresAt);
    const hiding = printHiding(printReceipt(receipt), visibleAt);
    list += `<QueueMessage>${times}${hiding}${printContent(dequeueCount, text)}</QueueMessage>`;
  }
  return printList(list);
}

export function printPeeked(messages: readonly PeekedMessage[]): string {
  let list = "";
  for (const { messageId, insertedAt, expiresAt, dequeueCount, text } of messages) {
    const times = printTimes(messageId, insertedAt, expiresAt);
    list += `<QueueMessage>${times}${printContent(dequeueCount, text)}</QueueMessage>`;
  }
  return printList(list);
}

function printList(list: string): string {
  const root = list === "" ? "<QueueMessagesList />" : `<QueueMessagesList>${list}</QueueMessagesList>`;
  return printXml(root, { bom: false });
}

function printTimes(messageId: string, insertedAt: number, expiresAt: number): string {
  return `<MessageId>${messageId}</MessageId><InsertionTime>${printHttpDate(insertedAt)}</InsertionTime><ExpirationTime>${printHttpDate(expiresAt)}</ExpirationTime>`;
}

function printHiding(receipt: string, visibleAt: number): string {
  return `<PopReceipt>${receipt}</PopReceipt><TimeNextVisible>${printHttpDate(visibleAt)}</TimeNextVisible>`;
}

function printContent(dequeueCount: number, text: Uint8Array): string {
  const content = escapeText(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString());
  return `<DequeueCount>${dequeueCount}</DequeueCount><MessageText>${content}</MessageText>`;
}
