import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";

/** How far ahead an immutability policy may end: 400 years, as on Azure. */
export const IMMUTABILITY_MILLIS_MAX = 146_000 * 24 * 60 * 60_000;

/**
 * Write once, read many. A blob under a policy is neither changed nor deleted until the policy's date;
 * "unlocked" is for trying it out, "locked" cannot be taken back by anybody, only made to last longer. A
 * legal hold is apart from it: it has no date, and lasts until it is taken off.
 */
export interface Immutability {
  readonly until: Instant;
  readonly mode: "unlocked" | "locked";
}

export interface Protected {
  readonly immutability?: Immutability;
  readonly hasLegalHold?: true;
}

/**
 * Whether blobs of the container may be put under a policy or a hold at all. The operator decides that, not
 * who writes the blobs: what is held can outlast everybody who could delete it.
 */
export function checkImmutabilityAllowed(container: {
  readonly hasVersionLevelImmutability?: true;
}): RefusalCode | undefined {
  return container.hasVersionLevelImmutability === true
    ? undefined
    : "ContainerImmutableStorageWithVersioningNotEnabled";
}

/** Whether a policy that is set now may end then: in the future, and not beyond the longest retention. */
export function isRetention(until: Instant, now: Instant): boolean {
  return until > now && until - now <= IMMUTABILITY_MILLIS_MAX;
}

/** Whether the blob may be changed, replaced or deleted. */
export function checkMutability(
  { immutability, hasLegalHold }: Protected,
  now: Instant,
): RefusalCode | undefined {
  if (hasLegalHold === true) return "BlobImmutableDueToLegalHold";
  if (immutability !== undefined && immutability.until > now) return "BlobImmutableDueToPolicy";
  return undefined;
}

/** Whether the policy may become `after`, or go. */
export function checkImmutabilityChange(
  before: Immutability | undefined,
  after: Immutability | undefined,
  now: Instant,
): RefusalCode | undefined {
  if (before?.mode !== "locked") return undefined;
  // A locked policy that has run out no longer protects anything, but it is still not one to be unlocked.
  if (after === undefined) return before.until > now ? "BlobImmutableDueToPolicy" : undefined;
  const isLonger = after.mode === "locked" && after.until >= before.until;
  return isLonger ? undefined : "BlobImmutableDueToPolicy";
}
