import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../parts.ts";
import { type QueueRef } from "./queue-ref.ts";
export type Metadata = Readonly<Record<string, string>>;
export interface QueueProperties {
    readonly metadata: Metadata;
    /** All messages, invisible ones included; never fewer than there are. */
    readonly approximateMessagesCount: number;
}
export declare function getQueueMetadata({ store }: ServiceParts, ref: QueueRef): Promise<QueueProperties>;
/** Replaces all of it. The last writer wins. */
export declare function setQueueMetadata(parts: ServiceParts, ref: QueueRef, metadata: Metadata): Promise<void>;
export declare function getQueueAcl({ store }: ServiceParts, ref: QueueRef): Promise<readonly StoredPolicy[]>;
/** Replaces the whole list, at once for every signature that names one of its policies. */
export declare function setQueueAcl(parts: ServiceParts, ref: QueueRef, policies: readonly StoredPolicy[]): Promise<void>;
export declare function findPolicies({ store }: ServiceParts, ref: QueueRef): Promise<readonly StoredPolicy[] | undefined>;
