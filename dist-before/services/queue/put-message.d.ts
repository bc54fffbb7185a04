import type { Instant, Millis } from "../../base/clock.ts";
import { badQuery } from "../../base/refusals.ts";
import { type Receipt } from "../../concurrency/visibility.ts";
import { type QueueRef } from "./queue-ref.ts";
import type { QueueParts } from "./stamps.ts";
export interface PutMessage {
    readonly ref: QueueRef;
    /** UTF-8. */
    readonly text: Uint8Array;
    readonly visibilityTimeout: Millis;
    readonly timeToLive: Millis | "never";
}
export interface PutMessageResult {
    readonly messageId: string;
    readonly insertedAt: Instant;
    readonly expiresAt: Instant;
    readonly visibleAt: Instant;
    readonly receipt: Receipt;
}
export declare function putMessage({ store, stamps }: QueueParts, request: PutMessage): Promise<PutMessageResult>;
export declare function outlivesMessage(visibilityTimeout: Millis): ReturnType<typeof badQuery>;
