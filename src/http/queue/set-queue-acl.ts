import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import { setQueueAcl } from "../../services/queue/set-queue-acl.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { readQueueRef } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

const PERMISSIONS = /^[raup]{1,4}$/;

/** PUT /{queue}?comp=acl */
export async function handleSetQueueAcl(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const ref = readQueueRef(request);
  const body = await request.body.read(QUEUE_LIMITS.aclBytesMax);
  await setQueueAcl(queues, ref, parseSignedIdentifiers(body, PERMISSIONS));
  return { status: 204, length: 0 };
}
