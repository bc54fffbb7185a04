import { type Conditions } from "../../concurrency/conditions.ts";
import { type BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type Selector } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
export interface GetBlockList {
    readonly ref: BlobRef;
    readonly selector: Selector;
    readonly conditions: Conditions;
    readonly leaseId: string | undefined;
    readonly wants: "committed" | "uncommitted" | "all";
}
export interface NamedBlock {
    readonly id: string;
    readonly length: number;
}
export interface BlockLists {
    /** Undefined where there is no committed content: an ETag would be of nothing. */
    readonly record: BlobRecord | undefined;
    readonly committed: readonly NamedBlock[];
    readonly uncommitted: readonly NamedBlock[];
}
/** Committed blocks in the order of the blob, uncommitted ones by id. */
export declare function getBlockList(blobs: BlobService, request: GetBlockList): Promise<BlockLists>;
