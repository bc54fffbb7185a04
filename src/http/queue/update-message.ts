import { seconds } from "../../base/clock.ts";
import { printReceipt } from "../../concurrency/visibility.ts";
import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import { updateMessage } from "../../services/queue/update-message.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { parseMessage } from "./message-xml.ts";
import {
  readMessageId,
  readQueueRef,
  readReceipt,
  refuseReceipt,
  requireWhole,
  VISIBILITY_OF_UPDATE,
} from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** PUT /{queue}/messages/{messageid}?popreceipt=&visibilitytimeout= */
export async function handleUpdateMessage(
  request: HttpRequest,
  { queues }: QueueServices,
): Promise<HttpReply> {
  const ref = readQueueRef(request);
  const receipt = readReceipt(request.query) ?? (await refuseReceipt(queues, ref, request));
  const visibility = requireWhole(request.query, "visibilitytimeout", VISIBILITY_OF_UPDATE);
  const body = await request.body.read(QUEUE_LIMITS.messageBodyBytesMax);
  const next = await updateMessage(queues, {
    ref,
    messageId: readMessageId(request),
    receipt,
    visibilityTimeout: seconds(visibility),
    text: body.length === 0 ? undefined : parseMessage(body),
  });
  const headers = {
    "x-ms-popreceipt": printReceipt(next),
    "x-ms-time-next-visible": printHttpDate(next.visibleAt),
  };
  return { status: 204, length: 0, headers };
}
