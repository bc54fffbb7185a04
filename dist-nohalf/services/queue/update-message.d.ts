import type { Millis } from "../../base/clock.ts";
import { type Receipt } from "../../concurrency/visibility.ts";
import { type QueueRef } from "./queue-ref.ts";
import type { QueueParts } from "./stamps.ts";
export interface UpdateMessage {
    readonly ref: QueueRef;
    readonly messageId: string;
    readonly receipt: Receipt;
    readonly visibilityTimeout: Millis;
    /** UTF-8; undefined keeps the text. */
    readonly text: Uint8Array | undefined;
}
/** Hides the message from now on for as long as asked, and replaces its text. The new receipt is the valid one. */
export declare function updateMessage({ store, stamps }: QueueParts, request: UpdateMessage): Promise<Receipt>;
