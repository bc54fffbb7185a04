import { QUEUE_LIMITS } from "../../base/limits-queue.js";
import { Refusal } from "../../base/refusals.js";
import { printReceipt } from "../../concurrency/visibility.js";
import { printHttpDate } from "../wire/dates.js";
import { parseXml } from "../wire/xml.js";
import { escapeText, printXml } from "../wire/xml-print.js";
import { onlyChildren } from "../wire/xml-values.js";
/** The bodies of the message operations. */
export const XML = { "Content-Type": "application/xml" };
/** `<QueueMessage><MessageText>..</MessageText></QueueMessage>`: the text, in UTF-8. */
export function parseMessage(body) {
    const root = parseXml(body);
    if (root.name !== "QueueMessage")
        throw malformed("The root element is not QueueMessage.");
    onlyChildren(root, ["MessageText"]);
    const text = root.textOf("MessageText");
    if (text === undefined)
        throw malformed("The element MessageText is missing.");
    const bytes = Buffer.from(text);
    if (bytes.length > QUEUE_LIMITS.messageTextBytesMax)
        throw tooLarge();
    return bytes;
}
function malformed(reason) {
    return new Refusal("InvalidXmlDocument", { elements: { Reason: reason } });
}
function tooLarge() {
    const elements = { MaxLimit: String(QUEUE_LIMITS.messageTextBytesMax) };
    return new Refusal("RequestBodyTooLarge", { elements });
}
export function printPutMessage({ messageId, insertedAt, expiresAt, receipt, visibleAt, }) {
    const times = printTimes(messageId, insertedAt, expiresAt);
    return printList(`<QueueMessage>${times}${printHiding(printReceipt(receipt), visibleAt)}</QueueMessage>`);
}
export function printTaken(messages) {
    let list = "";
    for (const { messageId, insertedAt, expiresAt, visibleAt, receipt, dequeueCount, text } of messages) {
        const times = printTimes(messageId, insertedAt, expiresAt);
        const hiding = printHiding(printReceipt(receipt), visibleAt);
        list += `<QueueMessage>${times}${hiding}${printContent(dequeueCount, text)}</QueueMessage>`;
    }
    return printList(list);
}
export function printPeeked(messages) {
    let list = "";
    for (const { messageId, insertedAt, expiresAt, dequeueCount, text } of messages) {
        const times = printTimes(messageId, insertedAt, expiresAt);
        list += `<QueueMessage>${times}${printContent(dequeueCount, text)}</QueueMessage>`;
    }
    return printList(list);
}
function printList(list) {
    return printXml(list === "" ? "<QueueMessagesList />" : `<QueueMessagesList>${list}</QueueMessagesList>`);
}
function printTimes(messageId, insertedAt, expiresAt) {
    return `<MessageId>${messageId}</MessageId><InsertionTime>${printHttpDate(insertedAt)}</InsertionTime><ExpirationTime>${printHttpDate(expiresAt)}</ExpirationTime>`;
}
function printHiding(receipt, visibleAt) {
    return `<PopReceipt>${receipt}</PopReceipt><TimeNextVisible>${printHttpDate(visibleAt)}</TimeNextVisible>`;
}
function printContent(dequeueCount, text) {
    const content = escapeText(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString());
    return `<DequeueCount>${dequeueCount}</DequeueCount><MessageText>${content}</MessageText>`;
}
