import type { Instant } from "../../base/clock.ts";
import { type Conditions } from "../../concurrency/conditions.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { OpenPayload, SliceRange } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { type Selector } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
export interface ReadBlob {
    readonly ref: BlobRef;
    readonly selector: Selector;
    readonly conditions: Conditions;
    readonly leaseId: string | undefined;
    /** SHA-256 of the key the client brought, to be compared with the one the blob was written with. */
    readonly keySha256: string | undefined;
}
export interface SeenBlob {
    readonly record: BlobRecord;
    readonly isCurrent: boolean;
    readonly now: Instant;
}
export interface OpenedBlob extends SeenBlob {
    readonly range: SliceRange;
    /** Undefined when the bytes are in the record. To be closed by whoever has it. */
    readonly payload: OpenPayload | undefined;
}
/** Get Blob Properties, Get Blob Metadata. */
export declare function getBlobProperties(blobs: BlobService, request: ReadBlob): Promise<SeenBlob>;
/**
 * Get Blob. The record and its bytes come from one snapshot, and the bytes are pinned before the snapshot ends:
 * the download has the content and the ETag it started with, whatever is written while it runs.
 */
export declare function getBlob(blobs: BlobService, request: ReadBlob & {
    readonly rangeOf: (length: number) => SliceRange;
}): Promise<OpenedBlob>;
/** A blob written with a customer's key is read with the same key or not at all. */
export declare function checkKey({ keySha256 }: Pick<BlobRecord, "keySha256">, given: string | undefined): void;
