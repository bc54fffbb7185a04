import { Refusal } from "../../base/refusals.ts";
import { type Conditions, failingCondition } from "../../concurrency/conditions.ts";
import { applyLeaseAction, type LeaseAction, type LeaseResult, leaseOf, withLease } from "../lease-action.ts";
import { putContainer, readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import type { ContainerRef } from "./names.ts";

/** Lease Container makes no new ETag: a lease reserves the deletion and changes nothing else. */
export async function leaseContainer(
  blobs: BlobContext,
  request: { readonly ref: ContainerRef; readonly conditions: Conditions; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  return blobs.store.write(async (write) => {
    const record = await readContainer(write, request.ref);
    if (failingCondition(request.conditions, record) !== undefined) throw new Refusal("ConditionNotMet");
    const result = applyLeaseAction(leaseOf(record), request.lease, write.now());
    putContainer(write, request.ref, withLease(record, result.lease));
    return { ...result, revision: record.revision };
  });
}
