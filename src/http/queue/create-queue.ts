import { createQueue } from "../../services/queue/create-queue.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readQueueRef } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** PUT /{queue} */
export async function handleCreateQueue(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const outcome = await createQueue(queues, readQueueRef(request), readMetadata(request.rawHeaders));
  return { status: outcome === "created" ? 201 : 204, length: 0 };
}
