import { assert } from "../base/assert.js";
export const AVAILABLE = { state: "available" };
const refused = (code) => ({ ok: false, code });
/** The state as it is now. An instant that is reached counts as passed. */
export function leaseAt(stored, now) {
    if (stored.state === "leased" && stored.endsAt !== "never" && stored.endsAt <= now) {
        assert(stored.length !== "infinite", "an infinite lease has no end");
        return { state: "expired", id: stored.id, length: stored.length };
    }
    if (stored.state === "breaking" && stored.brokenAt <= now)
        return { state: "broken", id: stored.id };
    return stored;
}
function leasedFrom(now, id, length) {
    const endsAt = length === "infinite" ? "never" : now + length;
    return { ok: true, next: { state: "leased", id, length, endsAt } };
}
/** `id` is what the client proposed, or a new one; `isProposed` tells which. */
export function acquireLease(stored, wish, now) {
    const lease = leaseAt(stored, now);
    const isHolder = wish.isProposed && lease.state !== "available" && lease.id === wish.id;
    switch (lease.state) {
        case "leased":
            // The holder asking again gets a new length: the one way to change it.
            return isHolder ? leasedFrom(now, wish.id, wish.length) : refused("LeaseAlreadyPresent");
        case "breaking":
            return refused(isHolder ? "LeaseIsBreakingAndCannotBeAcquired" : "LeaseAlreadyPresent");
        case "available":
        case "broken":
        case "expired":
            return leasedFrom(now, wish.id, wish.length);
    }
}
export function renewLease(stored, id, now) {
    const lease = leaseAt(stored, now);
    if (lease.state === "available" || lease.id !== id)
        return refused("LeaseIdMismatchWithLeaseOperation");
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
export function changeLease(stored, ids, now) {
    const lease = leaseAt(stored, now);
    switch (lease.state) {
        case "available":
        case "broken":
        case "expired":
            return refused("LeaseNotPresentWithLeaseOperation");
        case "breaking":
            return refused(lease.id === ids.held ? "LeaseIsBreakingAndCannotBeChanged" : "LeaseIdMismatchWithLeaseOperation");
        case "leased":
            // A change to the id it already has succeeds whatever the first id was: a client repeats what it is not
            // sure of. The clock of the lease runs on.
            if (lease.id !== ids.held && lease.id !== ids.proposed) {
                return refused("LeaseIdMismatchWithLeaseOperation");
            }
            return { ok: true, next: { ...lease, id: ids.proposed } };
    }
}
export function releaseLease(stored, id, now) {
    const lease = leaseAt(stored, now);
    if (lease.state === "available" || lease.id !== id)
        return refused("LeaseIdMismatchWithLeaseOperation");
    return { ok: true, next: AVAILABLE };
}
/**
 * Breaking needs no id: it is how an operator ends the lease of a client that is gone. The holder keeps its
 * right to write until the break is over, which is never later than its lease would have ended anyway.
 */
export function breakLease(stored, period, now) {
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
function brokenAfter(id, wait, now) {
    const next = wait === 0 ? { state: "broken", id } : { state: "breaking", id, brokenAt: now + wait };
    return { ok: true, next };
}
/** Whole seconds until the lease is broken: whoever waits that long finds it free. */
export function secondsToBreak(lease, now) {
    return lease.state === "breaking" ? Math.ceil((lease.brokenAt - now) / 1_000) : 0;
}
/** A given id is a condition: it must be the id of a lease that is in force. Also on reads, which need none. */
export function checkLeaseId(stored, id, now, what) {
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
export function checkLeaseRead(stored, id, now, what) {
    return id === undefined ? undefined : checkLeaseId(stored, id, now, what);
}
/** Operations that a lease in force reserves for its holder. */
export function checkLeaseWrite(stored, id, now, what) {
    if (id !== undefined)
        return checkLeaseId(stored, id, now, what);
    return isLocked(stored, now) ? "LeaseIdMissing" : undefined;
}
export function isLocked(stored, now) {
    const { state } = leaseAt(stored, now);
    return state === "leased" || state === "breaking";
}
/** What a blob's lease is after a write: one in force stays on the new content, what is left of an old one goes. */
export function leaseAfterWrite(stored, now) {
    return isLocked(stored, now) ? stored : AVAILABLE;
}
const UNLEASED = { state: "available", status: "unlocked", duration: undefined };
export function leaseStatus(stored, now) {
    if (stored === undefined)
        return UNLEASED;
    const lease = leaseAt(stored, now);
    return {
        state: lease.state,
        status: lease.state === "leased" || lease.state === "breaking" ? "locked" : "unlocked",
        duration: lease.state !== "leased" ? undefined : lease.length === "infinite" ? "infinite" : "fixed",
    };
}
