import type { Instant, Millis } from "../../base/clock.ts";
import { type Receipt } from "../../concurrency/visibility.ts";
import { type QueueRef } from "./queue-ref.ts";
import type { QueueParts } from "./stamps.ts";
export interface GetMessages {
    readonly ref: QueueRef;
    readonly count: number;
    readonly visibilityTimeout: Millis;
}
export interface GivenMessage {
    readonly messageId: string;
    readonly insertedAt: Instant;
    readonly expiresAt: Instant;
    readonly dequeueCount: number;
    /** UTF-8. */
    readonly text: Uint8Array;
}
export interface TakenMessage extends GivenMessage {
    readonly visibleAt: Instant;
    readonly receipt: Receipt;
}
/**
 * Chooses, counts and hides in one transaction. Transactions are serializable over all processes, so two takers
 * never get the same message while it is hidden; and the reply leaves when the hiding is durable.
 */
export declare function getMessages({ store, stamps }: QueueParts, request: GetMessages): Promise<TakenMessage[]>;
