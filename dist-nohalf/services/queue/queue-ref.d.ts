import type { Reader } from "../../store/kv.ts";
import { type QueueRecord } from "../../store/records/queue.ts";
/** Which queue an operation is about. */
export interface QueueRef {
    readonly account: string;
    readonly queue: string;
}
/** Lower-case letters, digits and single dashes inside. */
export declare function checkQueueName(name: string): void;
export declare function findQueue(read: Reader, { account, queue }: QueueRef): Promise<QueueRecord | undefined>;
export declare function readQueue(read: Reader, ref: QueueRef): Promise<QueueRecord>;
/** Only the id of its contents: all that the operations on messages need. */
export declare function readContentsId(read: Reader, { account, queue }: QueueRef): Promise<bigint>;
