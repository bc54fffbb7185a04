import { seconds } from "../../base/clock.ts";
import { printReceipt } from "../../concurrency/visibility.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { parseMessage } from "./message-xml.ts";
import type { QueueServices } from "./operations.ts";
import {
  messageIdOf,
  queueOf,
  receiptOf,
  refuseReceipt,
  requiredWholeOf,
  VISIBILITY_OF_UPDATE,
} from "./parameters.ts";

/** PUT /{queue}/messages/{messageid}?popreceipt=&visibilitytimeout= */
export async function updateMessage(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const ref = queueOf(request);
  const receipt = receiptOf(request.query) ?? (await refuseReceipt(request.query, ref, queues));
  const visibility = requiredWholeOf(request.query, "visibilitytimeout", VISIBILITY_OF_UPDATE);
  const body = await request.body.read(QUEUE_LIMITS.messageBodyBytesMax);
  const next = await queues.updateMessage({
    ref,
    messageId: messageIdOf(request),
    receipt,
    visibilityTimeout: seconds(visibility),
    text: body.length === 0 ? undefined : parseMessage(body),
  });
  const headers = {
    "x-ms-popreceipt": printReceipt(next),
    "x-ms-time-next-visible": printHttpDate(next.visibleAt),
  };
  return { status: 204, headers };
}
