import { type Revision } from "../../base/revision.ts";
import { type Conditions } from "../../concurrency/conditions.ts";
import { type BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type Selector } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
import { type PageSpan } from "./page-map.ts";
export interface GetPageRanges {
    readonly ref: BlobRef;
    readonly selector: Selector;
    readonly conditions: Conditions;
    readonly leaseId: string | undefined;
    /** Only what lies in it. */
    readonly within: PageSpan | undefined;
    /** Where the page of the listing begins. */
    readonly from: number;
    readonly maxResults: number | undefined;
    /** Only what has changed since this snapshot. */
    readonly previous: Revision | undefined;
}
export interface ListedRange extends PageSpan {
    readonly isCleared: boolean;
}
export interface PageRanges {
    readonly record: BlobRecord;
    readonly ranges: readonly ListedRange[];
    readonly next: number | undefined;
}
/** Get Page Ranges: pages that were written, or what became of pages since a snapshot. In order, neighbours joined. */
export declare function getPageRanges(blobs: BlobService, request: GetPageRanges): Promise<PageRanges>;
