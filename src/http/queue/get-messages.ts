import { seconds } from "../../base/clock.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printDequeued, printPeeked, XML } from "./message-xml.ts";
import type { QueueServices } from "./operations.ts";
import { COUNT_OF_MESSAGES, queueOf, VISIBILITY_OF_GET, wholeOf } from "./parameters.ts";

/** GET /{queue}/messages */
export async function getMessages(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const { query } = request;
  const visibility = wholeOf(
    query,
    "visibilitytimeout",
    VISIBILITY_OF_GET,
    QUEUE_LIMITS.visibilitySecondsDefault,
  );
  const messages = await queues.getMessages({
    ref: queueOf(request),
    count: wholeOf(query, "numofmessages", COUNT_OF_MESSAGES, 1),
    visibilityTimeout: seconds(visibility),
  });
  return { status: 200, headers: XML, body: printDequeued(messages), isMarked: true };
}

/** GET /{queue}/messages?peekonly=true */
export async function peekMessages(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const messages = await queues.peekMessages({
    ref: queueOf(request),
    count: wholeOf(request.query, "numofmessages", COUNT_OF_MESSAGES, 1),
  });
  return { status: 200, headers: XML, body: printPeeked(messages), isMarked: true };
}
