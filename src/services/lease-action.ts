import type { Instant, Millis } from "../base/clock.ts";
import { Refusal } from "../base/refusals.ts";
import type { Revision } from "../base/revision.ts";
import type { StoredLease } from "../base/stored-lease.ts";
import {
  AVAILABLE,
  acquireLease,
  breakLease,
  changeLease,
  type Lease,
  type LeaseOutcome,
  leaseAfterWrite,
  releaseLease,
  renewLease,
  secondsToBreak,
} from "../concurrency/lease.ts";

/** What a client asks of a lease: of a blob, a container, a file or a share. */
export type LeaseAction =
  | {
      readonly action: "acquire";
      readonly id: string;
      readonly isProposed: boolean;
      readonly length: Millis | "infinite";
    }
  | { readonly action: "renew"; readonly id: string }
  | { readonly action: "change"; readonly current: string; readonly proposed: string }
  | { readonly action: "release"; readonly id: string }
  | { readonly action: "break"; readonly period: Millis | undefined };

export interface LeaseResult {
  readonly revision: Revision;
  readonly lease: Lease;
  /** Of a break: whole seconds until it is over. */
  readonly secondsLeft: number;
}

export function applyLeaseAction(
  stored: Lease,
  request: LeaseAction,
  now: Instant,
): Omit<LeaseResult, "revision"> {
  const outcome = outcomeOf(stored, request, now);
  if (!outcome.ok) throw new Refusal(outcome.code);
  return { lease: outcome.next, secondsLeft: secondsToBreak(outcome.next, now) };
}

function outcomeOf(stored: Lease, request: LeaseAction, now: Instant): LeaseOutcome {
  switch (request.action) {
    case "acquire":
      return acquireLease(stored, request, now);
    case "renew":
      return renewLease(stored, request.id, now);
    case "change":
      return changeLease(stored, request, now);
    case "release":
      return releaseLease(stored, request.id, now);
    case "break":
      return breakLease(stored, request.period, now);
  }
}

/** A stored record that may have a lease. */
interface Leased {
  readonly lease?: StoredLease;
}

export function leaseOf(record: Leased): Lease {
  return record.lease ?? AVAILABLE;
}

/** The record with this lease. An available lease is not stored. */
export function withLease<T extends Leased>(record: T, lease: Lease): T {
  if (record.lease === undefined && lease.state === "available") return record;
  const { lease: _, ...rest } = record;
  return (lease.state === "available" ? rest : { ...rest, lease }) as T;
}

/** A lease in force stays on what was written; any other ends. */
export function withLeaseAfterWrite<T extends Leased>(
  record: T,
  before: Leased | undefined,
  now: Instant,
): T {
  return before?.lease === undefined ? record : withLease(record, leaseAfterWrite(before.lease, now));
}
