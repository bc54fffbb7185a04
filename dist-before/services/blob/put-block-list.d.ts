import type { BlobService } from "./blob-service.ts";
import type { BlobRef } from "./names.ts";
import { type BlobProperties, type CreateGuards, type Written } from "./put-blob.ts";
/** Where a block of the list is to be looked for; "latest": among the uncommitted first. */
export type BlockSource = "committed" | "uncommitted" | "latest";
export interface ListedBlock {
    readonly id: string;
    readonly from: BlockSource;
}
export interface PutBlockList extends CreateGuards {
    readonly ref: BlobRef;
    readonly blocks: readonly ListedBlock[];
    readonly properties: BlobProperties;
}
/**
 * Put Block List: in one transaction every id is found, the list becomes the content, blocks that are not in it
 * go, and metadata and properties are replaced. Until then readers have the old content, after it the new one.
 */
export declare function putBlockList(blobs: BlobService, request: PutBlockList): Promise<Written>;
