import { seconds } from "../../base/clock.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseMessage, printPutMessage, XML } from "./message-xml.ts";
import type { QueueServices } from "./operations.ts";
import { queueOf, timeToLiveOf, VISIBILITY_OF_PUT, wholeOf } from "./parameters.ts";

const RESULT_SINCE = "2016-05-31";

/** POST /{queue}/messages */
export async function putMessage(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const ref = queueOf(request);
  const visibility = wholeOf(request.query, "visibilitytimeout", VISIBILITY_OF_PUT, 0);
  const timeToLive = timeToLiveOf(request);
  const body = await request.body.read(QUEUE_LIMITS.messageBodyBytesMax);
  const result = await queues.putMessage({
    ref,
    text: parseMessage(body),
    visibilityTimeout: seconds(visibility),
    timeToLive: timeToLive === "never" ? timeToLive : seconds(timeToLive),
  });
  if (request.version !== "" && request.version < RESULT_SINCE) return { status: 201 };
  return { status: 201, headers: XML, body: printPutMessage(result), isMarked: true };
}
