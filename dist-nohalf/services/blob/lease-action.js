import { Refusal } from "../../base/refusals.js";
import { acquireLease, breakLease, changeLease, releaseLease, renewLease, secondsToBreak, } from "../../concurrency/lease.js";
export function applyLeaseAction(stored, request, now) {
    const outcome = outcomeOf(stored, request, now);
    if (!outcome.ok)
        throw new Refusal(outcome.code);
    return { lease: outcome.next, secondsLeft: secondsToBreak(outcome.next, now) };
}
function outcomeOf(stored, request, now) {
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
