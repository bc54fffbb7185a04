import type { Receipt } from "../../concurrency/visibility.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../context.ts";
import type { Page } from "../page.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { clearMessages } from "./clear-messages.ts";
import { createQueue, deleteQueue } from "./create-queue.ts";
import { type DeleteMessage, deleteMessage } from "./delete-message.ts";
import { type DequeuedMessage, type GetMessages, type GivenMessage, getMessages } from "./get-messages.ts";
import { type ListedQueue, type ListQueues, listQueues, type QueuesPage } from "./list-queues.ts";
import { type PeekMessages, peekMessages } from "./peek-messages.ts";
import { type PutMessage, type PutMessageResult, putMessage } from "./put-message.ts";
import {
  findPolicies,
  getQueueAcl,
  getQueueMetadata,
  type Metadata,
  type QueueProperties,
  setQueueAcl,
  setQueueMetadata,
} from "./queue-metadata.ts";
import type { QueueRef } from "./queue-ref.ts";
import { queueJobs } from "./remove-messages.ts";
import { type QueueParts, Stamps } from "./stamps.ts";
import { type UpdateMessage, updateMessage } from "./update-message.ts";

/** The Queue service: what its operations mean, each of them one transaction. */
export class QueueService {
  readonly parts: ServiceParts & QueueParts;

  constructor(parts: ServiceParts) {
    this.parts = { ...parts, stamps: new Stamps(parts.random) };
  }

  createQueue(ref: QueueRef, metadata: Metadata): Promise<"created" | "exists"> {
    return createQueue(this.parts, ref, metadata);
  }

  deleteQueue(ref: QueueRef): Promise<void> {
    return deleteQueue(this.parts, ref);
  }

  listQueues<P extends Page<ListedQueue>>(request: ListQueues<P>): Promise<QueuesPage<P>> {
    return listQueues(this.parts, request);
  }

  getQueueMetadata(ref: QueueRef): Promise<QueueProperties> {
    return getQueueMetadata(this.parts, ref);
  }

  setQueueMetadata(ref: QueueRef, metadata: Metadata): Promise<void> {
    return setQueueMetadata(this.parts, ref, metadata);
  }

  getQueueAcl(ref: QueueRef): Promise<readonly StoredPolicy[]> {
    return getQueueAcl(this.parts, ref);
  }

  setQueueAcl(ref: QueueRef, policies: readonly StoredPolicy[]): Promise<void> {
    return setQueueAcl(this.parts, ref, policies);
  }

  putMessage(request: PutMessage): Promise<PutMessageResult> {
    return putMessage(this.parts, request);
  }

  getMessages(request: GetMessages): Promise<DequeuedMessage[]> {
    return getMessages(this.parts, request);
  }

  peekMessages(request: PeekMessages): Promise<GivenMessage[]> {
    return peekMessages(this.parts, request);
  }

  updateMessage(request: UpdateMessage): Promise<Receipt> {
    return updateMessage(this.parts, request);
  }

  deleteMessage(request: DeleteMessage): Promise<void> {
    return deleteMessage(this.parts, request);
  }

  clearMessages(ref: QueueRef): Promise<void> {
    return clearMessages(this.parts, ref);
  }

  /** Stored access policies of a queue; undefined when there is no such queue. */
  policies(account: string, name: string): Promise<readonly StoredPolicy[] | undefined> {
    return findPolicies(this.parts, { account, queue: name });
  }

  /** Its work in the background. */
  jobs(): readonly BackgroundJob[] {
    return queueJobs(this.parts);
  }
}
