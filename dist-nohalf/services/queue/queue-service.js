import { clearMessages } from "./clear-messages.js";
import { createQueue, deleteQueue } from "./create-queue.js";
import { deleteMessage } from "./delete-message.js";
import { getMessages } from "./get-messages.js";
import { listQueues } from "./list-queues.js";
import { peekMessages } from "./peek-messages.js";
import { putMessage } from "./put-message.js";
import { findPolicies, getQueueAcl, getQueueMetadata, setQueueAcl, setQueueMetadata, } from "./queue-metadata.js";
import { queueChores } from "./remove-messages.js";
import { Stamps } from "./stamps.js";
import { updateMessage } from "./update-message.js";
/** The Queue service: what its operations mean, each of them one transaction. */
export class QueueService {
    parts;
    constructor(parts) {
        this.parts = { ...parts, stamps: new Stamps(parts.random) };
    }
    createQueue(ref, metadata) {
        return createQueue(this.parts, ref, metadata);
    }
    deleteQueue(ref) {
        return deleteQueue(this.parts, ref);
    }
    listQueues(request) {
        return listQueues(this.parts, request);
    }
    getQueueMetadata(ref) {
        return getQueueMetadata(this.parts, ref);
    }
    setQueueMetadata(ref, metadata) {
        return setQueueMetadata(this.parts, ref, metadata);
    }
    getQueueAcl(ref) {
        return getQueueAcl(this.parts, ref);
    }
    setQueueAcl(ref, policies) {
        return setQueueAcl(this.parts, ref, policies);
    }
    putMessage(request) {
        return putMessage(this.parts, request);
    }
    getMessages(request) {
        return getMessages(this.parts, request);
    }
    peekMessages(request) {
        return peekMessages(this.parts, request);
    }
    updateMessage(request) {
        return updateMessage(this.parts, request);
    }
    deleteMessage(request) {
        return deleteMessage(this.parts, request);
    }
    clearMessages(ref) {
        return clearMessages(this.parts, ref);
    }
    /** Stored access policies of a queue; undefined when there is no such queue. */
    policies(account, name) {
        return findPolicies(this.parts, { account, queue: name });
    }
    /** Its work in the background. */
    chores() {
        return queueChores(this.parts);
    }
}
