import type { Instant, Millis } from "../base/clock.ts";
import { Refusal } from "../base/refusals.ts";
import type { Revision } from "../base/revision.ts";
import {
  acquireLease,
  breakLease,
  changeLease,
  type Lease,
  type LeaseOutcome,
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
