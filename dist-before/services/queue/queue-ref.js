import { QUEUE_LIMITS } from "../../base/limits-queue.js";
import { Refusal } from "../../base/refusals.js";
import { queueKey } from "../../store/keys/queue.js";
import { queueRecord } from "../../store/records/queue.js";
const QUEUE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Lower-case letters, digits and single dashes inside. */
export function checkQueueName(name) {
    if (name.length < QUEUE_LIMITS.queueNameCharsMin || name.length > QUEUE_LIMITS.queueNameCharsMax) {
        throw new Refusal("OutOfRangeInput", {
            text: "The specified resource name length is not within the permissible limits.",
        });
    }
    if (!QUEUE_NAME.test(name))
        throw new Refusal("InvalidResourceName");
}
export async function findQueue(read, { account, queue }) {
    const bytes = await read.get(queueKey(account, queue));
    return bytes === undefined ? undefined : queueRecord.unpack(bytes);
}
export async function readQueue(read, ref) {
    const record = await findQueue(read, ref);
    if (record === undefined)
        throw new Refusal("QueueNotFound");
    return record;
}
/** Only the id of its contents: all that the operations on messages need. */
export async function readContentsId(read, { account, queue }) {
    const bytes = await read.get(queueKey(account, queue));
    if (bytes === undefined)
        throw new Refusal("QueueNotFound");
    return queueRecord.contentsOf(bytes);
}
