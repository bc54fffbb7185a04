import { type Receipt } from "../../concurrency/visibility.ts";
import { type QueueRef } from "../../services/queue/queue-ref.ts";
import type { HttpRequest, Query } from "../exchange.ts";
/** What the addresses and queries of the Queue service say, with the refusal for each way to be wrong. */
export declare function queueOf({ target }: HttpRequest): QueueRef;
/** The last part of /{queue}/messages/{messageid}. */
export declare function messageIdOf({ target }: HttpRequest): string;
export declare function receiptOf(query: Query): Receipt;
export interface Bounds {
    readonly min: number;
    readonly max: number;
}
export declare const VISIBILITY_OF_PUT: Bounds;
export declare const VISIBILITY_OF_GET: Bounds;
export declare const VISIBILITY_OF_UPDATE: Bounds;
export declare const COUNT_OF_MESSAGES: Bounds;
/** A whole number within bounds, or what stands for it when it is not given. */
export declare function wholeOf(query: Query, name: string, bounds: Bounds, otherwise: number): number;
/** The same, of a parameter that must be given. */
export declare function requiredWholeOf(query: Query, name: string, bounds: Bounds): number;
/** messagettl: seconds, or -1 for a message that never expires. Old versions end at seven days. */
export declare function timeToLiveOf({ query, version }: HttpRequest): number | "never";
