import { QUEUE_LIMITS } from "../../base/limits-queue.js";
import { printMetadata, readMetadata } from "../wire/metadata.js";
import { parseSignedIdentifiers, printSignedIdentifiers } from "../wire/signed-identifiers.js";
import { XML } from "./message-xml.js";
import { queueOf } from "./parameters.js";
/** GET or HEAD /{queue}?comp=metadata */
export async function getQueueMetadata(request, { queues }) {
    const { metadata, approximateMessagesCount } = await queues.getQueueMetadata(queueOf(request));
    const count = { "x-ms-approximate-messages-count": String(approximateMessagesCount) };
    return { status: 200, headers: { ...count, ...printMetadata(metadata) } };
}
/** PUT /{queue}?comp=metadata */
export async function setQueueMetadata(request, { queues }) {
    await queues.setQueueMetadata(queueOf(request), readMetadata(request.rawHeaders));
    return { status: 204 };
}
/** GET or HEAD /{queue}?comp=acl */
export async function getQueueAcl(request, { queues }) {
    const policies = await queues.getQueueAcl(queueOf(request));
    return { status: 200, headers: XML, body: printSignedIdentifiers(policies) };
}
/** PUT /{queue}?comp=acl */
export async function setQueueAcl(request, { queues }) {
    const ref = queueOf(request);
    const body = await request.body.read(QUEUE_LIMITS.aclBytesMax);
    await queues.setQueueAcl(ref, parseSignedIdentifiers(body));
    return { status: 204 };
}
