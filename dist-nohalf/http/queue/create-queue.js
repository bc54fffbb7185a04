import { readMetadata } from "../wire/metadata.js";
import { queueOf } from "./parameters.js";
/** PUT /{queue} */
export async function createQueue(request, { queues }) {
    const outcome = await queues.createQueue(queueOf(request), readMetadata(request.rawHeaders));
    return { status: outcome === "created" ? 201 : 204 };
}
/** DELETE /{queue} */
export async function deleteQueue(request, { queues }) {
    await queues.deleteQueue(queueOf(request));
    return { status: 204 };
}
