import { type Conditions } from "../../concurrency/conditions.ts";
import { type LeaseAction, type LeaseResult } from "../lease-action.ts";
import type { BlobService } from "./blob-service.ts";
import type { BlobRef } from "./names.ts";
/** Lease Blob. Also of a blob that has only uncommitted blocks so far. The ETag stays, and no version is made. */
export declare function leaseBlob(blobs: BlobService, request: {
    readonly ref: BlobRef;
    readonly conditions: Conditions;
    readonly lease: LeaseAction;
}): Promise<LeaseResult>;
