import { deleteQueue } from "../../services/queue/delete-queue.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readQueueRef } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** DELETE /{queue} */
export async function handleDeleteQueue(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  await deleteQueue(queues, readQueueRef(request));
  return { status: 204, length: 0 };
}
