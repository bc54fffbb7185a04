import { clearMessages } from "../../services/queue/clear-messages.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readQueueRef } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** DELETE /{queue}/messages */
export async function handleClearMessages(
  request: HttpRequest,
  { queues }: QueueServices,
): Promise<HttpReply> {
  await clearMessages(queues, readQueueRef(request));
  return { status: 204, length: 0 };
}
