import type { Tags } from "../../concurrency/tag-predicate.ts";
import { type TagQuery } from "../../concurrency/tag-query.ts";
import { type TagPlace } from "../../store/keys/blob.ts";
import type { BlobService } from "./blob-service.ts";
export interface FindBlobs {
    readonly account: string;
    /** Only in this container, which must exist. */
    readonly container: string | undefined;
    readonly query: TagQuery;
    readonly maxResults: number;
    readonly from: TagPlace | undefined;
}
export interface FoundBlob {
    readonly container: string;
    readonly blob: string;
    /** Those the query names. */
    readonly tags: Tags;
}
export interface FoundBlobs {
    readonly items: readonly FoundBlob[];
    readonly next: TagPlace | undefined;
}
/**
 * Find Blobs by Tags: a walk over the entries of one tag, as narrow as the query allows; the other comparisons
 * are made with the blob itself. No blob without the tag is looked at.
 */
export declare function findBlobsByTags(blobs: BlobService, request: FindBlobs): Promise<FoundBlobs>;
