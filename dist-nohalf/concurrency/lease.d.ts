import type { Instant, Millis } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
/**
 * Leases: "this is mine until I say so, or until my time is up". One function for each thing a client may do,
 * of the stored state, the request and the time; nothing here waits, and no timer runs. Time alone turns leased
 * into expired and breaking into broken, and `leaseAt` is where that happens.
 *
 *                 acquire                break (period)             period over
 *   available ------------> leased(A) ------------------> breaking ------------> broken
 *       ^                    |    |                          |                      |
 *       |     release A      |    | time is up               | release A            | release A,
 *       +--------------------+    v                          v                      | a write
 *       +------------------- expired(A) <-- renew A --> leased(A)                   |
 *       +---------------------------------------------------------------------------+
 *
 * An expired lease remembers its id: the holder may renew it as long as nobody has written or leased since. A
 * write of somebody else ends that (on blobs; a container keeps it), and the old holder learns that it lost.
 *
 * No lease action changes an ETag: a lease says who may write, not what was written.
 */
export type Lease = {
    readonly state: "available";
} | {
    readonly state: "leased";
    readonly id: string;
    readonly length: Millis | "infinite";
    readonly endsAt: Instant | "never";
} | {
    readonly state: "expired";
    readonly id: string;
    readonly length: Millis;
} | {
    readonly state: "breaking";
    readonly id: string;
    readonly brokenAt: Instant;
} | {
    readonly state: "broken";
    readonly id: string;
};
export declare const AVAILABLE: Lease;
export type LeaseOutcome = {
    readonly ok: true;
    readonly next: Lease;
} | {
    readonly ok: false;
    readonly code: RefusalCode;
};
/** The state as it is now. An instant that is reached counts as passed. */
export declare function leaseAt(stored: Lease, now: Instant): Lease;
/** `id` is what the client proposed, or a new one; `isProposed` tells which. */
export declare function acquireLease(stored: Lease, wish: {
    readonly id: string;
    readonly isProposed: boolean;
    readonly length: Millis | "infinite";
}, now: Instant): LeaseOutcome;
export declare function renewLease(stored: Lease, id: string, now: Instant): LeaseOutcome;
export declare function changeLease(stored: Lease, ids: {
    readonly held: string;
    readonly proposed: string;
}, now: Instant): LeaseOutcome;
export declare function releaseLease(stored: Lease, id: string, now: Instant): LeaseOutcome;
/**
 * Breaking needs no id: it is how an operator ends the lease of a client that is gone. The holder keeps its
 * right to write until the break is over, which is never later than its lease would have ended anyway.
 */
export declare function breakLease(stored: Lease, period: Millis | undefined, now: Instant): LeaseOutcome;
/** Whole seconds until the lease is broken: whoever waits that long finds it free. */
export declare function secondsToBreak(lease: Lease, now: Instant): number;
/** What a lease guards: the codes say which. */
export type Leased = "Blob" | "Container";
/** A given id is a condition: it must be the id of a lease that is in force. Also on reads, which need none. */
export declare function checkLeaseId(stored: Lease, id: string, now: Instant, what: Leased): RefusalCode | undefined;
/** Operations that look without touching, and those a lease does not exclude. */
export declare function checkLeaseRead(stored: Lease, id: string | undefined, now: Instant, what: Leased): RefusalCode | undefined;
/** Operations that a lease in force reserves for its holder. */
export declare function checkLeaseWrite(stored: Lease, id: string | undefined, now: Instant, what: Leased): RefusalCode | undefined;
export declare function isLocked(stored: Lease, now: Instant): boolean;
/** What a blob's lease is after a write: one in force stays on the new content, what is left of an old one goes. */
export declare function leaseAfterWrite(stored: Lease, now: Instant): Lease;
/** How a lease reads in headers and listings. Its duration is told only while it is held. */
export interface LeaseStatus {
    readonly state: Lease["state"];
    readonly status: "locked" | "unlocked";
    readonly duration: "infinite" | "fixed" | undefined;
}
export declare function leaseStatus(stored: Lease | undefined, now: Instant): LeaseStatus;
