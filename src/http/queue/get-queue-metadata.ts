import { getQueueMetadata } from "../../services/queue/get-queue-metadata.ts";
import { UNCACHED } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata } from "../wire/metadata.ts";
import { readQueueRef } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** GET or HEAD /{queue}?comp=metadata */
export async function handleGetQueueMetadata(
  request: HttpRequest,
  { queues }: QueueServices,
): Promise<HttpReply> {
  const { metadata, approximateMessagesCount } = await getQueueMetadata(queues, readQueueRef(request));
  const count = { "x-ms-approximate-messages-count": String(approximateMessagesCount) };
  return { status: 200, headers: { ...UNCACHED, ...count, ...printMetadata(metadata) } };
}
