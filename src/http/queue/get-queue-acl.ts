import { getQueueAcl } from "../../services/queue/get-queue-acl.ts";
import { UNCACHED_XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { readQueueRef } from "./read-request.ts";
import type { QueueServices } from "./services.ts";

/** GET or HEAD /{queue}?comp=acl */
export async function handleGetQueueAcl(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const policies = await getQueueAcl(queues, readQueueRef(request));
  return { status: 200, headers: UNCACHED_XML, body: printSignedIdentifiers(policies) };
}
