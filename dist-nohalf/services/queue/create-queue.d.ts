import type { ServiceParts } from "../parts.ts";
import type { Metadata } from "./queue-metadata.ts";
import { type QueueRef } from "./queue-ref.ts";
/** "exists": it was there already with just this metadata, so the caller has what it wanted. */
export declare function createQueue({ store }: ServiceParts, ref: QueueRef, metadata: Metadata): Promise<"created" | "exists">;
/** One write. The messages are out of reach with it, and a chore removes them. */
export declare function deleteQueue({ store }: ServiceParts, ref: QueueRef): Promise<void>;
