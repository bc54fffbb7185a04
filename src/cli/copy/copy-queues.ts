import { systemClock } from "../../base/clock.ts";
import { parseHttpDate } from "../../http/wire/dates.ts";
import type { XmlElement } from "../../http/wire/xml.ts";
import { element, printXml, textElement } from "../../http/wire/xml-print.ts";
import type { CopyContext } from "./copy-context.ts";
import { COPY_LIMITS } from "./limits.ts";
import { listPages, metadataHeaders, metadataIn, nameIn } from "./storage-client.ts";

/**
 * Queues and their messages. The protocol shows a message in two ways only. A peek changes nothing and shows
 * at most the first 32 visible messages. Receiving shows all visible ones, hides them for a while and counts;
 * afterwards they are made visible again. No request shows a hidden message.
 */
export async function copyQueues(context: CopyContext): Promise<void> {
  const query = { comp: "list", include: "metadata" };
  const queues = listPages(context.source, { method: "GET", service: "queue", path: "", query }, "Queues");
  await context.each(
    queues,
    (entry) => `queue ${nameIn(entry)}`,
    (entry) => copyQueue(context, nameIn(entry), metadataHeaders(metadataIn(entry))),
  );
}

async function copyQueue(
  context: CopyContext,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const queue = { method: "PUT", service: "queue", path: name } as const;
  const isNew = await context.create({ ...queue, headers });
  if (!isNew) await context.target.send({ ...queue, query: { comp: "metadata" }, headers });
  await context.copyAcl("queue", name);
  context.report.add(0);
  const [here, there] = [await countOf(context, "source", name), await countOf(context, "target", name)];
  if (context.messages === "none" || here === 0) return;
  if (there > 0) {
    // Copied twice, a message would be handled twice.
    context.report.note(`queue ${name}: the target has ${there} messages already, so none were copied`);
    return;
  }
  const copied = await (context.messages === "peek" ? peekMessages : receiveMessages)(context, name);
  if (copied < here)
    context.report.note(`queue ${name}: ${copied} of about ${here} messages were copied (see --messages)`);
}

async function countOf(context: CopyContext, side: "source" | "target", path: string): Promise<number> {
  const query = { comp: "metadata" };
  const { headers } = await context[side].send({ method: "GET", service: "queue", path, query });
  return Number(headers["x-ms-approximate-messages-count"] ?? 0);
}

async function peekMessages(context: CopyContext, queue: string): Promise<number> {
  const query = { numofmessages: String(COPY_LIMITS.messagesPerGet), peekonly: "true" };
  const path = `${queue}/messages`;
  const list = await context.source.sendForXml({ method: "GET", service: "queue", path, query });
  for (const message of list.children) await putMessage(context, path, message);
  return list.children.length;
}

async function receiveMessages(context: CopyContext, queue: string): Promise<number> {
  const path = `${queue}/messages`;
  const received: { readonly id: string; readonly receipt: string }[] = [];
  const query = {
    numofmessages: String(COPY_LIMITS.messagesPerGet),
    visibilitytimeout: String(COPY_LIMITS.receivedSeconds),
  };
  try {
    while (received.length < COPY_LIMITS.receivedMax) {
      const list = await context.source.sendForXml({ method: "GET", service: "queue", path, query });
      if (list.children.length === 0) break;
      for (const message of list.children) {
        const [id, receipt] = [message.textOf("MessageId")!, message.textOf("PopReceipt")!];
        received.push({ id, receipt });
        await putMessage(context, path, message);
      }
    }
  } finally {
    for (const { id, receipt } of received) {
      const update = { popreceipt: receipt, visibilitytimeout: "0" };
      const message = { method: "PUT", service: "queue", path: `${path}/${id}`, query: update } as const;
      // It may have expired meanwhile.
      await context.source.send({ ...message, accepts: [404] });
    }
  }
  return received.length;
}

const SECOND = 1_000;
/** The longest time to live; "never" is in the year 9999. */
const SECONDS_MAX = 2 ** 31 - 1;

async function putMessage(context: CopyContext, path: string, message: XmlElement): Promise<void> {
  const expiresAt = parseHttpDate(message.textOf("ExpirationTime") ?? "") ?? Number.POSITIVE_INFINITY;
  const seconds = Math.floor((expiresAt - systemClock.now()) / SECOND);
  if (seconds <= 0) return;
  const query = { messagettl: seconds > SECONDS_MAX ? "-1" : String(seconds) };
  const text = message.textOf("MessageText") ?? "";
  const body = printXml(element("QueueMessage", textElement("MessageText", text)));
  const headers = { "content-type": "application/xml" };
  await context.target.send({ method: "POST", service: "queue", path, query, headers, body });
  context.report.add(Buffer.byteLength(text));
}
