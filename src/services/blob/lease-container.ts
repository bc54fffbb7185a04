import { Refusal } from "../../base/refusals.ts";
import { type Conditions, failingCondition } from "../../concurrency/conditions.ts";
import { applyLeaseAction, type LeaseAction, type LeaseResult } from "../lease-action.ts";
import type { BlobService } from "./blob-service.ts";
import { leaseOf, putContainer, readContainer, withLease } from "./containers.ts";
import type { ContainerRef } from "./names.ts";

/** The ETag stays: a lease says who may delete the container, not what was changed. */
export async function leaseContainer(
  blobs: BlobService,
  request: { readonly ref: ContainerRef; readonly conditions: Conditions; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  return blobs.parts.store.write(async (write) => {
    const record = await readContainer(write, request.ref);
    if (failingCondition(request.conditions, record) !== undefined) throw new Refusal("ConditionNotMet");
    const result = applyLeaseAction(leaseOf(record), request.lease, write.now());
    putContainer(write, request.ref, withLease(record, result.lease));
    return { ...result, revision: record.revision };
  });
}
