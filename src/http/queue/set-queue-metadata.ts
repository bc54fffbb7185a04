import { setQueueMetadata } from "../../services/queue/set-queue-metadata.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readQueueRef } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** PUT /{queue}?comp=metadata */
export async function handleSetQueueMetadata(
  request: HttpRequest,
  { queues }: QueueServices,
): Promise<HttpReply> {
  await setQueueMetadata(queues, readQueueRef(request), readMetadata(request.rawHeaders));
  return { status: 204, length: 0 };
}
