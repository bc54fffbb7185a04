import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
/**
 * Write once, read many. A blob under a policy is neither changed nor deleted until the policy's date; "unlocked"
 * is for trying it out, "locked" cannot be taken back by anybody, only made to last longer. A legal hold is apart
 * from it: it has no date, and lasts until it is taken off.
 */
export interface Immutability {
    readonly until: Instant;
    readonly mode: "unlocked" | "locked";
}
export interface Guarded {
    readonly immutability?: Immutability;
    readonly hasLegalHold?: true;
}
/** Whether the blob may be changed, replaced or deleted. */
export declare function checkMutability({ immutability, hasLegalHold }: Guarded, now: Instant): RefusalCode | undefined;
/** Whether the policy may become `after`, or go. */
export declare function checkImmutabilityChange(before: Immutability | undefined, after: Immutability | undefined, now: Instant): RefusalCode | undefined;
