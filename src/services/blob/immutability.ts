import type { Instant } from "../../base/clock.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { type Conditions, checkWrite } from "../../concurrency/conditions.ts";
import { checkImmutabilityChange, type Immutability } from "../../concurrency/immutability.ts";
import type { Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { putBlobRecord, readState, type Selector } from "./blobs.ts";
import { throwIf } from "./containers.ts";
import { indexGuard } from "./guard-index.ts";
import type { BlobRef } from "./names.ts";
import { putPast } from "./replace-blob.ts";

export interface OnState {
  readonly ref: BlobRef;
  readonly selector: Selector;
}

/**
 * Set Immutability Policy: until then the blob is neither changed nor deleted. An unlocked policy may be changed
 * in any way or deleted; a locked one can only be made longer.
 */
export async function setImmutabilityPolicy(
  blobs: BlobService,
  request: OnState & { readonly conditions: Conditions; readonly immutability: Immutability },
): Promise<Immutability> {
  const { immutability } = request;
  await changeState(blobs, request, (record, now) => {
    throwIf(checkWrite(request.conditions, record, "change"));
    if (immutability.until <= now) {
      throw badHeader("x-ms-immutability-policy-until-date", new Date(immutability.until).toUTCString());
    }
    throwIf(checkImmutabilityChange(record.immutability, immutability, now));
    return { ...record, immutability };
  });
  return immutability;
}

export async function deleteImmutabilityPolicy(blobs: BlobService, request: OnState): Promise<void> {
  await changeState(blobs, request, (record, now) => {
    throwIf(checkImmutabilityChange(record.immutability, undefined, now));
    const { immutability: _, ...rest } = record;
    return rest;
  });
}

/** Set Legal Hold: while it is on, nothing else matters. */
export async function setLegalHold(
  blobs: BlobService,
  request: OnState & { readonly hasLegalHold: boolean },
): Promise<void> {
  await changeState(blobs, request, ({ hasLegalHold: _, ...rest }) =>
    request.hasLegalHold ? { ...rest, hasLegalHold: true } : rest,
  );
}

/** Beside the blob, not of it: no new ETag, whichever of its states is meant. */
async function changeState(
  blobs: BlobService,
  { ref, selector }: OnState,
  change: (record: BlobRecord, now: Instant) => BlobRecord,
): Promise<void> {
  await blobs.parts.store.write(async (write: Writer) => {
    const { container, record, isCurrent } = await readState(write, ref, selector);
    if (record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const after = change(record, write.now());
    const place = { container, ref };
    if (isCurrent) putBlobRecord(write, place, record, after);
    else {
      const at = (selector.snapshot ?? selector.version)!;
      indexGuard(write, { container: container.id, blob: ref.blob, at }, record, undefined);
      putPast(write, place, at, after);
    }
  });
}
