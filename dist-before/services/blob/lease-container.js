import { Refusal } from "../../base/refusals.js";
import { failingCondition } from "../../concurrency/conditions.js";
import { applyLeaseAction } from "../lease-action.js";
import { leaseOf, putContainer, readContainer, withLease } from "./containers.js";
/** The ETag stays: a lease says who may delete the container, not what was changed. */
export async function leaseContainer(blobs, request) {
    return blobs.parts.store.write(async (write) => {
        const record = await readContainer(write, request.ref);
        if (failingCondition(request.conditions, record) !== undefined)
            throw new Refusal("ConditionNotMet");
        const result = applyLeaseAction(leaseOf(record), request.lease, write.now());
        putContainer(write, request.ref, withLease(record, result.lease));
        return { ...result, revision: record.revision };
    });
}
