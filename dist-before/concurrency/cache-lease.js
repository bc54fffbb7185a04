export const NO_CACHE = 0;
export const READ_CACHE = 1;
export const HANDLE_CACHE = 2;
export const WRITE_CACHE = 4;
const GRANTABLE = new Set([
    NO_CACHE,
    READ_CACHE,
    READ_CACHE | HANDLE_CACHE,
    READ_CACHE | WRITE_CACHE,
    READ_CACHE | HANDLE_CACHE | WRITE_CACHE,
]);
/** What of a wish is granted to a new open. */
export function grantCache({ wanted, isLease, isShared, isLocked, others }) {
    if (!GRANTABLE.has(wanted))
        return NO_CACHE;
    let granted = wanted;
    if (isLocked)
        granted &= ~(READ_CACHE | HANDLE_CACHE);
    if (isShared)
        granted &= ~WRITE_CACHE;
    // An oplock knows no handle caching of others, a lease none beside an oplock.
    if (isLease && others.some((other) => !other.isLease && other.state !== NO_CACHE))
        granted &= ~HANDLE_CACHE;
    if (!isLease) {
        if (others.some((other) => other.isLease && (other.state & HANDLE_CACHE) !== 0))
            return NO_CACHE;
        if ((granted & WRITE_CACHE) === 0)
            granted &= READ_CACHE;
    }
    return GRANTABLE.has(granted) ? granted : NO_CACHE;
}
/** What is left of a cache after a conflict; undefined when it is not touched. */
export function breakCache(state, conflict) {
    const to = state & kept(conflict);
    if (to === state)
        return undefined;
    switch (conflict) {
        case "open":
        case "overwrite":
            return { to, isAwaited: (state & WRITE_CACHE) !== 0 };
        case "sharing":
        case "remove":
            return { to, isAwaited: true };
        case "write":
            return { to, isAwaited: (state & WRITE_CACHE) !== 0 };
    }
}
function kept(conflict) {
    switch (conflict) {
        case "open":
            return READ_CACHE | HANDLE_CACHE;
        case "sharing":
        case "remove":
            return READ_CACHE | WRITE_CACHE;
        case "overwrite":
        case "write":
            return NO_CACHE;
    }
}
/** Whether the client has to answer a break: only reads can be forgotten without a word. */
export function needsAnswer(from, to) {
    return (from & ~to & (WRITE_CACHE | HANDLE_CACHE)) !== 0;
}
/** Whether a client may answer a break with this state. */
export function isAnswerValid(answer, to) {
    return (answer & ~to) === 0;
}
