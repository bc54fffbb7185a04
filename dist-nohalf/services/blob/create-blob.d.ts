import type { BlobService } from "./blob-service.ts";
import type { BlobRef } from "./names.ts";
import { type BlobProperties, type CreateGuards, type Written } from "./put-blob.ts";
export interface CreateAppendBlob extends CreateGuards {
    readonly ref: BlobRef;
    readonly properties: BlobProperties;
}
export interface CreatePageBlob extends CreateAppendBlob {
    /** x-ms-blob-content-length: whole pages. */
    readonly length: number;
    readonly sequenceNumber: bigint;
}
/** Put Blob of an append blob: empty, whatever had its name before. */
export declare function createAppendBlob(blobs: BlobService, request: CreateAppendBlob): Promise<Written>;
/** Put Blob of a page blob: as long as it is told, and nothing but zeros that take no space. */
export declare function createPageBlob(blobs: BlobService, request: CreatePageBlob): Promise<Written>;
