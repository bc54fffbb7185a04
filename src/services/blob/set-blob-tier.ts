import { Refusal } from "../../base/refusals.ts";
import { checkWrite } from "../../concurrency/conditions.ts";
import { checkLeaseRead } from "../../concurrency/lease.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import type { TagsOfBlob } from "./blob-tags.ts";
import { putBlobRecord, readState } from "./blobs.ts";
import { leaseOf, throwIf } from "./containers.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { putVersionOrSnapshot } from "./replace-blob.ts";

export interface SetBlobTier extends TagsOfBlob {
  readonly tier: string;
  readonly priority: "Standard" | "High" | undefined;
}

/** Smart: the service chooses between the tiers that are on line. Here that is always Hot. */
const BLOCK_TIERS = ["Hot", "Cool", "Cold", "Archive", "Smart"];
export const PAGE_TIERS = ["P4", "P6", "P10", "P15", "P20", "P30", "P40", "P50", "P60", "P70", "P80"];

/**
 * Set Blob Tier. At once between the tiers that are on line; out of the archive it takes its time, and until then
 * the blob says where it is going. "pending": the change has begun (202).
 */
export async function setBlobTier(blobs: BlobService, request: SetBlobTier): Promise<"done" | "pending"> {
  const { ref, selector } = request;
  return blobs.parts.store.write(async (write) => {
    const { container, record, isCurrent } = await readState(write, ref, selector);
    // It needs no lease id; one that is sent must be the right one.
    if (isCurrent) throwIf(checkLeaseRead(leaseOf(record), request.leaseId, write.now(), "Blob"));
    throwIf(checkWrite(request.conditions, record, "change"));
    if (record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const after = tiered(record, request, write.now());
    const place = { container, ref };
    if (isCurrent) putBlobRecord(write, place, record, after);
    else putVersionOrSnapshot(write, place, (selector.snapshot ?? selector.version)!, after);
    return after.rehydrate === undefined ? "done" : "pending";
  });
}

function tiered(record: BlobRecord, { tier, priority }: SetBlobTier, now: number): BlobRecord {
  if (record.kind === "append") throw new Refusal("InvalidBlobType");
  if (record.kind === "page") return premium(record, tier, now);
  if (!BLOCK_TIERS.includes(tier)) throw new Refusal("InvalidBlobTier");
  if (record.rehydrate !== undefined) {
    // Asking again for the same may raise the priority; another tier has to wait.
    if (record.rehydrate.to !== tier) throw new Refusal("BlobBeingRehydrated");
    return { ...record, rehydrate: { ...record.rehydrate, priority: priority ?? record.rehydrate.priority } };
  }
  if (record.tier !== "Archive") return { ...record, tier, tierChangedAt: now };
  if (tier === "Archive") return record;
  const doneAt = now + BLOB_LIMITS.rehydrateMillis;
  return { ...record, rehydrate: { to: tier, priority: priority ?? "Standard", doneAt } };
}

function premium(record: BlobRecord, tier: string, now: number): BlobRecord {
  if (!PAGE_TIERS.includes(tier)) throw new Refusal("InvalidBlobTier");
  if (record.tier !== undefined && PAGE_TIERS.indexOf(tier) < PAGE_TIERS.indexOf(record.tier)) {
    throw new Refusal("CannotChangeToLowerTier");
  }
  return { ...record, tier, tierChangedAt: now };
}
