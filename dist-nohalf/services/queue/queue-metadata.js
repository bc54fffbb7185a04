import { queueKey } from "../../store/keys/queue.js";
import { queueRecord } from "../../store/records/queue.js";
import { readTally } from "./contents.js";
import { findQueue, readQueue } from "./queue-ref.js";
export function getQueueMetadata({ store }, ref) {
    return store.read(async (read) => {
        const { contents, metadata } = await readQueue(read, ref);
        const { count } = await readTally(read, contents);
        return { metadata, approximateMessagesCount: count };
    });
}
/** Replaces all of it. The last writer wins. */
export function setQueueMetadata(parts, ref, metadata) {
    return change(parts, ref, { metadata });
}
export function getQueueAcl({ store }, ref) {
    return store.read(async (read) => (await readQueue(read, ref)).policies);
}
/** Replaces the whole list, at once for every signature that names one of its policies. */
export function setQueueAcl(parts, ref, policies) {
    return change(parts, ref, { policies });
}
export function findPolicies({ store }, ref) {
    return store.read(async (read) => (await findQueue(read, ref))?.policies);
}
function change({ store }, ref, changes) {
    return store.write(async (write) => {
        const record = await readQueue(write, ref);
        write.put(queueKey(ref.account, ref.queue), queueRecord.pack({ ...record, ...changes }));
    });
}
