import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";

/** The longest retention of an immutability policy: 400 years, as on Azure. */
export const IMMUTABILITY_MILLIS_MAX = 146_000 * 24 * 60 * 60_000;

/**
 * Write once, read many. A blob under a policy can be neither changed nor deleted until the policy's date. An
 * unlocked policy is for testing; a locked one can only be extended. A legal hold is independent of policies:
 * it has no date and lasts until it is cleared.
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
 * Whether the container allows policies and legal holds. The operator decides that rather than clients,
 * because protected blobs may have to be stored for centuries.
 */
export function checkImmutabilityAllowed(container: {
  readonly hasVersionLevelImmutability?: true;
}): RefusalCode | undefined {
  return container.hasVersionLevelImmutability === true
    ? undefined
    : "ContainerImmutableStorageWithVersioningNotEnabled";
}

/** Whether a policy set now may end at `until`: in the future, within the longest retention. */
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

/** Whether the policy may become `after`, or be deleted. */
export function checkImmutabilityChange(
  before: Immutability | undefined,
  after: Immutability | undefined,
  now: Instant,
): RefusalCode | undefined {
  if (before?.mode !== "locked") return undefined;
  // An expired locked policy can be deleted, but not unlocked or shortened.
  if (after === undefined) return before.until > now ? "BlobImmutableDueToPolicy" : undefined;
  const isLonger = after.mode === "locked" && after.until >= before.until;
  return isLonger ? undefined : "BlobImmutableDueToPolicy";
}
