import { type Conditions } from "../../concurrency/conditions.ts";
import { type LeaseAction, type LeaseResult } from "../lease-action.ts";
import type { BlobService } from "./blob-service.ts";
import type { ContainerRef } from "./names.ts";
/** The ETag stays: a lease says who may delete the container, not what was changed. */
export declare function leaseContainer(blobs: BlobService, request: {
    readonly ref: ContainerRef;
    readonly conditions: Conditions;
    readonly lease: LeaseAction;
}): Promise<LeaseResult>;
