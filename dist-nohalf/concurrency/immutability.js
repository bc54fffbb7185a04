/** Whether the blob may be changed, replaced or deleted. */
export function checkMutability({ immutability, hasLegalHold }, now) {
    if (hasLegalHold === true)
        return "BlobImmutableDueToLegalHold";
    if (immutability !== undefined && immutability.until > now)
        return "BlobImmutableDueToPolicy";
    return undefined;
}
/** Whether the policy may become `after`, or go. */
export function checkImmutabilityChange(before, after, now) {
    if (before?.mode !== "locked")
        return undefined;
    // A locked policy that has run out no longer protects anything, but it is still not one to be unlocked.
    if (after === undefined)
        return before.until > now ? "BlobImmutableDueToPolicy" : undefined;
    const isLonger = after.mode === "locked" && after.until >= before.until;
    return isLonger ? undefined : "BlobImmutableDueToPolicy";
}
