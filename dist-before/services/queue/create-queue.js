import { Refusal } from "../../base/refusals.js";
import { discardedKey, queueKey } from "../../store/keys/queue.js";
import { queueRecord } from "../../store/records/queue.js";
import { checkQueueName, findQueue, readContentsId } from "./queue-ref.js";
/** "exists": it was there already with just this metadata, so the caller has what it wanted. */
export function createQueue({ store }, ref, metadata) {
    checkQueueName(ref.queue);
    return store.write(async (write) => {
        const present = await findQueue(write, ref);
        if (present !== undefined) {
            if (!isSame(present.metadata, metadata))
                throw new Refusal("QueueAlreadyExists");
            return "exists";
        }
        const contents = write.revision();
        write.put(queueKey(ref.account, ref.queue), queueRecord.pack({ contents, metadata, policies: [] }));
        return "created";
    });
}
function isSame(one, other) {
    const names = Object.keys(one);
    return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
const EMPTY = Buffer.alloc(0);
/** One write. The messages are out of reach with it, and a chore removes them. */
export function deleteQueue({ store }, ref) {
    return store.write(async (write) => {
        const contents = await readContentsId(write, ref);
        write.delete(queueKey(ref.account, ref.queue));
        write.put(discardedKey(contents), EMPTY);
    });
}
