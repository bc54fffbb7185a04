import { deleteMessage } from "../../services/queue/delete-message.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMessageId, readQueueRef, readReceipt, refuseReceipt } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** DELETE /{queue}/messages/{messageid}?popreceipt= */
export async function handleDeleteMessage(
  request: HttpRequest,
  { queues }: QueueServices,
): Promise<HttpReply> {
  const ref = readQueueRef(request);
  const receipt = readReceipt(request.query) ?? (await refuseReceipt(queues, ref, request));
  await deleteMessage(queues, { ref, messageId: readMessageId(request), receipt });
  return { status: 204, length: 0 };
}
