import { type SequenceConditions } from "../../concurrency/conditions.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type Found } from "./blobs.ts";
import { type PageContent } from "./page-content.ts";
import type { PageSpan } from "./page-map.ts";
import { type EncryptionWish, type Written } from "./put-blob.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";
export interface PageWrite extends ChangeBlob {
    /** Whole pages. */
    readonly span: PageSpan;
    readonly sequence: SequenceConditions;
    readonly encryption: EncryptionWish;
}
export interface PagesWritten extends Written {
    readonly sequenceNumber: bigint;
}
/**
 * Put Page. The bytes are durable before the map is touched, and the map changes in one transaction: a reader
 * has all of a write or nothing of it, and writers of different pages never meet.
 */
export declare function putPage(blobs: BlobService, request: PageWrite & {
    readonly body: Buffer;
}): Promise<PagesWritten>;
/** Put Page with x-ms-page-write: clear. The pages read as zeros and take no space. */
export declare function clearPage(blobs: BlobService, request: PageWrite): Promise<PagesWritten>;
export type PageBlob = BlobRecord & {
    readonly content: PageContent;
};
/** The blob as a page blob that can be written to. */
export declare function pageBlobOf({ blob }: Pick<Found, "blob">): PageBlob;
