import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { QueueServices } from "./operations.ts";
import { messageIdOf, queueOf, receiptOf, refuseReceipt } from "./parameters.ts";

/** DELETE /{queue}/messages/{messageid}?popreceipt= */
export async function deleteMessage(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const ref = queueOf(request);
  const receipt = receiptOf(request.query) ?? (await refuseReceipt(request.query, ref, queues));
  await queues.deleteMessage({ ref, messageId: messageIdOf(request), receipt });
  return { status: 204 };
}

/** DELETE /{queue}/messages */
export async function clearMessages(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  await queues.clearMessages(queueOf(request));
  return { status: 204 };
}
