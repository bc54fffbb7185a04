import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import type { QueueServices } from "./operations.ts";
import { queueOf } from "./parameters.ts";

/** PUT /{queue} */
export async function createQueue(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const outcome = await queues.createQueue(queueOf(request), readMetadata(request.rawHeaders));
  return { status: outcome === "created" ? 201 : 204 };
}

/** DELETE /{queue} */
export async function deleteQueue(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  await queues.deleteQueue(queueOf(request));
  return { status: 204 };
}
