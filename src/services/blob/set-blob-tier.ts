import { Refusal, throwIf } from "../../base/refusals.ts";
import { checkWrite } from "../../concurrency/conditions.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { checkNoPendingCopy, checkReadLease, type GuardedState, readState } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { putState } from "./replace-blob.ts";

export interface SetBlobTier extends GuardedState {
  readonly tier: string;
  readonly priority: "Standard" | "High" | undefined;
}

/** Smart lets the service choose between the online tiers; Holdfast always chooses Hot. */
const BLOCK_TIERS = ["Hot", "Cool", "Cold", "Archive", "Smart"];
export const PAGE_TIERS = ["P4", "P6", "P10", "P15", "P20", "P30", "P40", "P50", "P60", "P70", "P80"];

/**
 * Set Blob Tier. A change between online tiers is immediate. Out of the archive the blob is rehydrated first
 * and reports its future tier; the result is "pending" then (202).
 */
export async function setBlobTier(blobs: BlobContext, request: SetBlobTier): Promise<"done" | "pending"> {
  const { ref, selector } = request;
  return blobs.store.write(async (write) => {
    const state = await readState(write, ref, selector);
    const { record, isCurrent } = state;
    if (isCurrent) checkReadLease(write, state, request.leaseId);
    throwIf(checkWrite(request.conditions, record, "change"));
    checkNoPendingCopy(record);
    const after = withTier(record, request, write.now());
    putState(write, state, selector, after);
    return after.rehydrate === undefined ? "done" : "pending";
  });
}

function withTier(record: BlobRecord, { tier, priority }: SetBlobTier, now: number): BlobRecord {
  if (record.kind === "append") throw new Refusal("InvalidBlobType");
  if (record.kind === "page") return withPageTier(record, tier, now);
  if (!BLOCK_TIERS.includes(tier)) throw new Refusal("InvalidBlobTier");
  if (record.rehydrate !== undefined) {
    // A second request for the same tier may raise the priority; another tier must wait.
    if (record.rehydrate.to !== tier) throw new Refusal("BlobBeingRehydrated");
    return { ...record, rehydrate: { ...record.rehydrate, priority: priority ?? record.rehydrate.priority } };
  }
  if (record.tier !== "Archive") return { ...record, tier, tierChangedAt: now };
  if (tier === "Archive") return record;
  const doneAt = now + BLOB_LIMITS.rehydrateMillis;
  return { ...record, rehydrate: { to: tier, priority: priority ?? "Standard", doneAt } };
}

function withPageTier(record: BlobRecord, tier: string, now: number): BlobRecord {
  if (!PAGE_TIERS.includes(tier)) throw new Refusal("InvalidBlobTier");
  if (record.tier !== undefined && PAGE_TIERS.indexOf(tier) < PAGE_TIERS.indexOf(record.tier)) {
    throw new Refusal("CannotChangeToLowerTier");
  }
  return { ...record, tier, tierChangedAt: now };
}
