import { peekMessages } from "../../services/queue/peek-messages.ts";
import { UNCACHED_XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printPeeked } from "./message-xml.ts";
import { COUNT_OF_MESSAGES, readQueueRef, readWhole } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** GET /{queue}/messages?peekonly=true */
export async function handlePeekMessages(
  request: HttpRequest,
  { queues }: QueueServices,
): Promise<HttpReply> {
  const messages = await peekMessages(queues, {
    ref: readQueueRef(request),
    count: readWhole(request.query, "numofmessages", COUNT_OF_MESSAGES, 1),
  });
  return { status: 200, headers: UNCACHED_XML, body: printPeeked(messages), isMarked: true };
}
