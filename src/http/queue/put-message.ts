import { seconds } from "../../base/clock.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import { putMessage } from "../../services/queue/put-message.ts";
import { XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseMessage, printPutMessage } from "./message-xml.ts";
import { readQueueRef, readTimeToLive, readWhole, VISIBILITY_OF_PUT } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

const RESULT_SINCE = "2016-05-31";

/** POST /{queue}/messages */
export async function handlePutMessage(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const ref = readQueueRef(request);
  const visibility = readWhole(request.query, "visibilitytimeout", VISIBILITY_OF_PUT, 0);
  const timeToLive = readTimeToLive(request);
  const body = await request.body.read(QUEUE_LIMITS.messageBodyBytesMax);
  const result = await putMessage(queues, {
    ref,
    text: parseMessage(body),
    visibilityTimeout: seconds(visibility),
    timeToLive: timeToLive === "never" ? timeToLive : seconds(timeToLive),
  });
  if (request.version !== "" && request.version < RESULT_SINCE) return { status: 201 };
  return { status: 201, headers: XML, body: printPutMessage(result), isMarked: true };
}
