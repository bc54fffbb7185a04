import type { Receipt } from "../../concurrency/visibility.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../parts.ts";
import type { Chore } from "../reclaim/chores.ts";
import { type DeleteMessage } from "./delete-message.ts";
import { type GetMessages, type GivenMessage, type TakenMessage } from "./get-messages.ts";
import { type ListQueues, type QueuesPage } from "./list-queues.ts";
import { type PeekMessages } from "./peek-messages.ts";
import { type PutMessage, type PutMessageResult } from "./put-message.ts";
import { type Metadata, type QueueProperties } from "./queue-metadata.ts";
import type { QueueRef } from "./queue-ref.ts";
import { type QueueParts } from "./stamps.ts";
import { type UpdateMessage } from "./update-message.ts";
/** The Queue service: what its operations mean, each of them one transaction. */
export declare class QueueService {
    readonly parts: ServiceParts & QueueParts;
    constructor(parts: ServiceParts);
    createQueue(ref: QueueRef, metadata: Metadata): Promise<"created" | "exists">;
    deleteQueue(ref: QueueRef): Promise<void>;
    listQueues(request: ListQueues): Promise<QueuesPage>;
    getQueueMetadata(ref: QueueRef): Promise<QueueProperties>;
    setQueueMetadata(ref: QueueRef, metadata: Metadata): Promise<void>;
    getQueueAcl(ref: QueueRef): Promise<readonly StoredPolicy[]>;
    setQueueAcl(ref: QueueRef, policies: readonly StoredPolicy[]): Promise<void>;
    putMessage(request: PutMessage): Promise<PutMessageResult>;
    getMessages(request: GetMessages): Promise<TakenMessage[]>;
    peekMessages(request: PeekMessages): Promise<GivenMessage[]>;
    updateMessage(request: UpdateMessage): Promise<Receipt>;
    deleteMessage(request: DeleteMessage): Promise<void>;
    clearMessages(ref: QueueRef): Promise<void>;
    /** Stored access policies of a queue; undefined when there is no such queue. */
    policies(account: string, name: string): Promise<readonly StoredPolicy[] | undefined>;
    /** Its work in the background. */
    chores(): readonly Chore[];
}
