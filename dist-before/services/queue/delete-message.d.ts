import { type Receipt } from "../../concurrency/visibility.ts";
import type { ServiceParts } from "../parts.ts";
import { type QueueRef } from "./queue-ref.ts";
export interface DeleteMessage {
    readonly ref: QueueRef;
    readonly messageId: string;
    readonly receipt: Receipt;
}
export declare function deleteMessage({ store }: ServiceParts, request: DeleteMessage): Promise<void>;
