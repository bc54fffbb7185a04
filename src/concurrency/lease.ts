import { assert } from "../base/assert.ts";
import type { Instant, Millis } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";

/**
 * Leases: "this is mine until I say so, or until my time is up". One function for each thing a client may do,
 * of the stored state, the request and the time; nothing here waits, and no timer runs. Time alone turns
 * leased into expired and breaking into broken, and `leaseAt` is where that happens.
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
export type Lease =
  | { readonly state: "available" }
  | {
      readonly state: "leased";
      readonly id: string;
      readonly length: Millis | "infinite";
      readonly endsAt: Instant | "never";
    }
  | { readonly state: "expired"; readonly id: string; readonly length: Millis }
  | { readonly state: "breaking"; readonly id: string; readonly brokenAt: Instant }
  | { readonly state: "broken"; readonly id: string };

export const AVAILABLE: Lease = { state: "available" };

export type LeaseOutcome =
  | { readonly ok: true; readonly next: Lease }
  | { readonly ok: false; readonly code: RefusalCode };

const refused = (code: RefusalCode): LeaseOutcome => ({ ok: false, code });

/** The state as it is now. An instant that is reached counts as passed. */
export function leaseAt(stored: Lease, now: Instant): Lease {
  if (stored.state === "leased" && stored.endsAt !== "never" && stored.endsAt <= now) {
    assert(stored.length !== "infinite", "an infinite lease has no end");
    return { state: "expired", id: stored.id, length: stored.length };
  }
  if (stored.state === "breaking" && stored.brokenAt <= now) return { state: "broken", id: stored.id };
  return stored;
}

function leasedFrom(now: Instant, id: string, length: Millis | "infinite"): LeaseOutcome {
  const endsAt = length === "infinite" ? "never" : now + length;
  return { ok: true, next: { state: "leased", id, length, endsAt } };
}

/** `id` is what the client proposed, or a new one; `isProposed` tells which. */
export function acquireLease(
  stored: Lease,
  request: { readonly id: string; readonly isProposed: boolean; readonly length: Millis | "infinite" },
  now: Instant,
): LeaseOutcome {
  const lease = leaseAt(stored, now);
  const isHolder = request.isProposed && lease.state !== "available" && lease.id === request.id;
  switch (lease.state) {
    case "leased":
      // The holder asking again gets a new length: the one way to change it.
      return isHolder ? leasedFrom(now, request.id, request.length) : refused("LeaseAlreadyPresent");
    case "breaking":
      return refused(isHolder ? "LeaseIsBreakingAndCannotBeAcquired" : "LeaseAlreadyPresent");
    case "available":
    case "broken":
    case "expired":
      return leasedFrom(now, request.id, request.length);
  }
}

export function renewLease(stored: Lease, id: string, now: Instant): LeaseOutcome {
  const lease = leaseAt(stored, now);
  if (lease.state === "available" || lease.id !== id) return refused("LeaseIdMismatchWithLeaseOperation");
  switch (lease.state) {
    case "breaking":
    case "broken":
      return refused("LeaseIsBrokenAndCannotBeRenewed");
    case "leased":
    case "expired":
      // An expired lease renews: a write or a new acquire would have replaced it by now.
      return leasedFrom(now, id, lease.length);
  }
}

export function changeLease(
  stored: Lease,
  ids: { readonly held: string; readonly proposed: string },
  now: Instant,
): LeaseOutcome {
  const lease = leaseAt(stored, now);
  switch (lease.state) {
    case "available":
    case "broken":
    case "expired":
      return refused("LeaseNotPresentWithLeaseOperation");
    case "breaking":
      return refused(
        lease.id === ids.held ? "LeaseIsBreakingAndCannotBeChanged" : "LeaseIdMismatchWithLeaseOperation",
      );
    case "leased":
      // A change to the id it already has succeeds whatever the first id was: a client repeats what it is not
      // sure of. The clock of the lease runs on.
      if (lease.id !== ids.held && lease.id !== ids.proposed) {
        return refused("LeaseIdMismatchWithLeaseOperation");
      }
      return { ok: true, next: { ...lease, id: ids.proposed } };
  }
}

export function releaseLease(stored: Lease, id: string, now: Instant): LeaseOutcome {
  const lease = leaseAt(stored, now);
  if (lease.state === "available" || lease.id !== id) return refused("LeaseIdMismatchWithLeaseOperation");
  return { ok: true, next: AVAILABLE };
}

/**
 * Breaking needs no id: it is how an operator ends the lease of a client that is gone. The holder keeps its
 * right to write until the break is over, which is never later than its lease would have ended anyway.
 */
export function breakLease(stored: Lease, period: Millis | undefined, now: Instant): LeaseOutcome {
  const lease = leaseAt(stored, now);
  switch (lease.state) {
    case "available":
      return refused("LeaseNotPresentWithLeaseOperation");
    case "broken":
    case "expired":
      return { ok: true, next: { state: "broken", id: lease.id } };
    case "leased": {
      const rest = lease.endsAt === "never" ? undefined : lease.endsAt - now;
      const wait = rest === undefined ? (period ?? 0) : Math.min(period ?? rest, rest);
      return brokenAfter(lease.id, wait, now);
    }
    case "breaking": {
      const rest = lease.brokenAt - now;
      return brokenAfter(lease.id, Math.min(period ?? rest, rest), now);
    }
  }
}

function brokenAfter(id: string, wait: Millis, now: Instant): LeaseOutcome {
  const next: Lease = wait === 0 ? { state: "broken", id } : { state: "breaking", id, brokenAt: now + wait };
  return { ok: true, next };
}

/** Whole seconds until the lease is broken: whoever waits that long finds it free. */
export function secondsToBreak(lease: Lease, now: Instant): number {
  return lease.state === "breaking" ? Math.ceil((lease.brokenAt - now) / 1_000) : 0;
}

/** What a lease guards: the codes say which. */
export type Leased = "Blob" | "Container";

/**
 * A given id is a condition: it must be the id of a lease that is in force. Also on reads, which need none.
 */
function checkLeaseId(stored: Lease, id: string, now: Instant, what: Leased): RefusalCode | undefined {
  const lease = leaseAt(stored, now);
  switch (lease.state) {
    case "available":
      return `LeaseNotPresentWith${what}Operation`;
    case "broken":
    case "expired":
      return "LeaseLost";
    case "leased":
    case "breaking":
      return lease.id === id ? undefined : `LeaseIdMismatchWith${what}Operation`;
  }
}

/** Operations that look without touching, and those a lease does not exclude. */
export function checkLeaseRead(
  stored: Lease,
  id: string | undefined,
  now: Instant,
  what: Leased,
): RefusalCode | undefined {
  return id === undefined ? undefined : checkLeaseId(stored, id, now, what);
}

/** Operations that a lease in force reserves for its holder. */
export function checkLeaseWrite(
  stored: Lease,
  id: string | undefined,
  now: Instant,
  what: Leased,
): RefusalCode | undefined {
  if (id !== undefined) return checkLeaseId(stored, id, now, what);
  return isLocked(stored, now) ? "LeaseIdMissing" : undefined;
}

export function isLocked(stored: Lease, now: Instant): boolean {
  const { state } = leaseAt(stored, now);
  return state === "leased" || state === "breaking";
}

/** Whether the lease ends by itself: one in force with a duration, or one that is breaking. */
export function hasEnd(stored: Lease, now: Instant): boolean {
  const lease = leaseAt(stored, now);
  return lease.state === "breaking" || (lease.state === "leased" && lease.length !== "infinite");
}

/**
 * What a blob's lease is after a write: one in force stays on the new content, what is left of an old one
 * goes.
 */
export function leaseAfterWrite(stored: Lease, now: Instant): Lease {
  return isLocked(stored, now) ? stored : AVAILABLE;
}

/** How a lease reads in headers and listings. Its duration is told only while it is held. */
export interface LeaseStatus {
  readonly state: Lease["state"];
  readonly status: "locked" | "unlocked";
  readonly duration: "infinite" | "fixed" | undefined;
}

const UNLEASED: LeaseStatus = { state: "available", status: "unlocked", duration: undefined };

export function leaseStatus(stored: Lease | undefined, now: Instant): LeaseStatus {
  if (stored === undefined) return UNLEASED;
  const lease = leaseAt(stored, now);
  return {
    state: lease.state,
    status: lease.state === "leased" || lease.state === "breaking" ? "locked" : "unlocked",
    duration: lease.state !== "leased" ? undefined : lease.length === "infinite" ? "infinite" : "fixed",
  };
}
