import { type Conditions } from "../../concurrency/conditions.ts";
import { type Immutability } from "../../concurrency/immutability.ts";
import type { BlobService } from "./blob-service.ts";
import { type Selector } from "./blobs.ts";
import type { BlobRef } from "./names.ts";
export interface OnState {
    readonly ref: BlobRef;
    readonly selector: Selector;
}
/**
 * Set Immutability Policy: until then the blob is neither changed nor deleted. An unlocked policy may be changed
 * in any way or deleted; a locked one can only be made longer.
 */
export declare function setImmutabilityPolicy(blobs: BlobService, request: OnState & {
    readonly conditions: Conditions;
    readonly immutability: Immutability;
}): Promise<Immutability>;
export declare function deleteImmutabilityPolicy(blobs: BlobService, request: OnState): Promise<void>;
/** Set Legal Hold: while it is on, nothing else matters. */
export declare function setLegalHold(blobs: BlobService, request: OnState & {
    readonly hasLegalHold: boolean;
}): Promise<void>;
