import { assert } from "../base/assert.ts";
import type { Instant, Millis } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
import type { StoredLease } from "../base/stored-lease.ts";

/**
 * A lease reserves an object for one client, until the client releases it or its time is up. There is one
 * function for each lease action, of the stored state, the request and the time. No timer runs: time alone
 * turns leased into expired and breaking into broken, and `leaseAt` is where that happens.
 *
 *                 acquire                break (period)             period over
 *   available ------------> leased(A) ------------------> breaking ------------> broken
 *       ^                    |    |                          |                      |
 *       |     release A      |    | time is up               | release A            | release A,
 *       +--------------------+    v                          v                      | a write
 *       +------------------- expired(A) <-- renew A --> leased(A)                   |
 *       +---------------------------------------------------------------------------+
 *
 * An expired lease keeps its id: its holder may renew it while no other client has written or acquired a
 * lease. A write by another client ends an expired lease of a blob, so that the former holder gets a refusal.
 * A container keeps it.
 *
 * No lease action changes an ETag, because a lease changes no content.
 */
export type Lease = { readonly state: "available" } | StoredLease;

export const AVAILABLE: Lease = { state: "available" };

export type LeaseOutcome =
  | { readonly ok: true; readonly next: Lease }
  | { readonly ok: false; readonly code: RefusalCode };

const refused = (code: RefusalCode): LeaseOutcome => ({ ok: false, code });

/** The state at `now`. A lease ends at the very instant of its end. */
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

/** `id` is the one the client proposed when `isProposed`, and a new one otherwise. */
export function acquireLease(
  stored: Lease,
  request: { readonly id: string; readonly isProposed: boolean; readonly length: Millis | "infinite" },
  now: Instant,
): LeaseOutcome {
  const lease = leaseAt(stored, now);
  const isHolder = request.isProposed && lease.state !== "available" && lease.id === request.id;
  switch (lease.state) {
    case "leased":
      // The holder acquires again to change the length; there is no other way.
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
      // An expired lease can be renewed: a write or a new acquire would have replaced it.
      return leasedFrom(now, id, lease.length);
  }
}

export function changeLease(
  stored: Lease,
  ids: { readonly current: string; readonly proposed: string },
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
        lease.id === ids.current ? "LeaseIsBreakingAndCannotBeChanged" : "LeaseIdMismatchWithLeaseOperation",
      );
    case "leased":
      // A change to the id that the lease already has succeeds, whatever the current id in the request:
      // clients repeat requests. The end of the lease stays.
      if (lease.id !== ids.current && lease.id !== ids.proposed) {
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
 * Breaking needs no id, so that any client can end the lease of a client that is gone. The holder may write
 * until the break period is over, which is never later than the end of the lease.
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

/** Whole seconds until the lease is broken, rounded up: after that time it can be acquired. */
export function secondsToBreak(lease: Lease, now: Instant): number {
  return lease.state === "breaking" ? Math.ceil((lease.brokenAt - now) / 1_000) : 0;
}

/** The kind of the leased object, which the codes name. */
export type Leased = "Blob" | "Container";

/** An id in a request is a condition: it must be that of a lease in force. This holds for reads, too. */
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

/** For operations that need no lease id. */
export function checkLeaseRead(
  stored: Lease,
  id: string | undefined,
  now: Instant,
  what: Leased,
): RefusalCode | undefined {
  return id === undefined ? undefined : checkLeaseId(stored, id, now, what);
}

/** For operations that a lease in force reserves for its holder. */
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

/** A blob's lease after a write: one in force stays; an expired or broken one is removed. */
export function leaseAfterWrite(stored: Lease, now: Instant): Lease {
  return isLocked(stored, now) ? stored : AVAILABLE;
}

/** A lease as headers and listings show it; the duration only while it is leased. */
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
