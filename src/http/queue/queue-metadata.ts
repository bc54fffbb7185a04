import { QUEUE_LIMITS } from "../../services/queue/limits.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata, readMetadata } from "../wire/metadata.ts";
import { parseSignedIdentifiers, printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { XML } from "./message-xml.ts";
import type { QueueServices } from "./operations.ts";
import { queueOf } from "./parameters.ts";

/** GET or HEAD /{queue}?comp=metadata */
export async function getQueueMetadata(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const { metadata, approximateMessagesCount } = await queues.getQueueMetadata(queueOf(request));
  const count = { "x-ms-approximate-messages-count": String(approximateMessagesCount) };
  return { status: 200, headers: { ...count, ...printMetadata(metadata) } };
}

/** PUT /{queue}?comp=metadata */
export async function setQueueMetadata(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  await queues.setQueueMetadata(queueOf(request), readMetadata(request.rawHeaders));
  return { status: 204 };
}

/** GET or HEAD /{queue}?comp=acl */
export async function getQueueAcl(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const policies = await queues.getQueueAcl(queueOf(request));
  return { status: 200, headers: XML, body: printSignedIdentifiers(policies) };
}

const PERMISSIONS = /^[raup]{1,4}$/;

/** PUT /{queue}?comp=acl */
export async function setQueueAcl(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const ref = queueOf(request);
  const body = await request.body.read(QUEUE_LIMITS.aclBytesMax);
  await queues.setQueueAcl(ref, parseSignedIdentifiers(body, PERMISSIONS));
  return { status: 204 };
}
