import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { type BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import type { ContainerRef } from "./names.ts";
/**
 * List Blobs, flat and by hierarchy: one walk over the names that are shown, in the order of their bytes. With
 * the past included, two walks in step: a blob's snapshots and versions, oldest first, then the blob itself.
 *
 * A page ends at a position, not at a count, so pages fit together whatever is written between them. A walk that
 * meets too much it must not show (blobs of uncommitted blocks, deleted states) gives a short page and a marker.
 */
export interface ListBlobs {
    readonly ref: ContainerRef;
    readonly prefix: string;
    readonly delimiter: string | undefined;
    readonly maxResults: number;
    readonly include: ListInclude;
    /** Where the page begins. */
    readonly from: BlobPosition | undefined;
}
export interface ListInclude {
    readonly snapshots: boolean;
    readonly versions: boolean;
    readonly deleted: boolean;
    readonly uncommitted: boolean;
    readonly deletedWithVersions: boolean;
}
/** A blob, one state of its past, or a folder. */
export type BlobPosition = {
    readonly blob: string;
    readonly past?: Revision;
} | {
    readonly folder: string;
};
export type ListedBlob = {
    readonly folder: string;
} | {
    readonly blob: string;
    /** The id of the snapshot or version. */
    readonly past?: Revision;
    readonly record: BlobRecord;
    /** Nothing of it is left but versions. */
    readonly hasVersionsOnly?: boolean;
};
export interface BlobPage {
    readonly items: readonly ListedBlob[];
    readonly next: BlobPosition | undefined;
    readonly now: Instant;
}
export declare function listBlobs(blobs: BlobService, request: ListBlobs): Promise<BlobPage>;
