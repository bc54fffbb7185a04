import type { ServiceParts } from "../parts.ts";
import { type QueueRef } from "./queue-ref.ts";
/** Gives the queue new, empty contents: one write, however many messages there were. A chore removes the old. */
export declare function clearMessages({ store }: ServiceParts, ref: QueueRef): Promise<void>;
