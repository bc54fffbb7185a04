import type { ServiceParts } from "../parts.ts";
import type { Metadata } from "./queue-metadata.ts";
export interface ListQueues {
    readonly account: string;
    readonly prefix: string;
    /** The first name the page may hold. */
    readonly from: string | undefined;
    readonly maxResults: number;
}
export interface QueuesPage {
    readonly queues: readonly {
        readonly name: string;
        readonly metadata: Metadata;
    }[];
    /** Where the next page begins; undefined after the last one. */
    readonly next: string | undefined;
}
export declare function listQueues({ store }: ServiceParts, request: ListQueues): Promise<QueuesPage>;
