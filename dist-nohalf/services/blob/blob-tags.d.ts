import { type Conditions } from "../../concurrency/conditions.ts";
import type { Tags } from "../../concurrency/tag-predicate.ts";
import type { BlobService } from "./blob-service.ts";
import { type Selector } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
export interface TagsOfBlob {
    readonly ref: BlobRef;
    readonly selector: Selector;
    readonly conditions: Conditions;
    readonly leaseId: string | undefined;
}
export declare function getBlobTags(blobs: BlobService, request: TagsOfBlob): Promise<Tags>;
/** Tags are beside the blob, not of it: no new ETag, no version. */
export declare function setBlobTags(blobs: BlobService, request: TagsOfBlob & {
    readonly tags: Tags;
}): Promise<void>;
