import { seconds } from "../../base/clock.ts";
import { getMessages } from "../../services/queue/get-messages.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import { UNCACHED_XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printDequeued } from "./message-xml.ts";
import { COUNT_OF_MESSAGES, readQueueRef, readWhole, VISIBILITY_OF_GET } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** GET /{queue}/messages */
export async function handleGetMessages(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const { query } = request;
  const visibility = readWhole(
    query,
    "visibilitytimeout",
    VISIBILITY_OF_GET,
    QUEUE_LIMITS.visibilitySecondsDefault,
  );
  const messages = await getMessages(queues, {
    ref: readQueueRef(request),
    count: readWhole(query, "numofmessages", COUNT_OF_MESSAGES, 1),
    visibilityTimeout: seconds(visibility),
  });
  return { status: 200, headers: UNCACHED_XML, body: printDequeued(messages), isMarked: true };
}
