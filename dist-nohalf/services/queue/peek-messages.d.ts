import type { ServiceParts } from "../parts.ts";
import type { GivenMessage } from "./get-messages.ts";
import { type QueueRef } from "./queue-ref.ts";
export interface PeekMessages {
    readonly ref: QueueRef;
    readonly count: number;
}
/** What a Get would give now, with nothing changed by looking. */
export declare function peekMessages({ store }: ServiceParts, { ref, count }: PeekMessages): Promise<GivenMessage[]>;
