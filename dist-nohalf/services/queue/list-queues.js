import { nameOfQueueKey, queuesRange } from "../../store/keys/queue.js";
import { queueRecord } from "../../store/records/queue.js";
export function listQueues({ store }, request) {
    const { account, prefix, from, maxResults } = request;
    return store.read(async (read) => {
        const queues = [];
        const range = { ...queuesRange(account, prefix, from), limit: maxResults + 1 };
        for await (const { key, value } of read.range(range)) {
            const name = nameOfQueueKey(key);
            if (queues.length === maxResults)
                return { queues, next: name };
            queues.push({ name, metadata: queueRecord.unpack(value).metadata });
        }
        return { queues, next: undefined };
    });
}
