import type { Instant } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import { type Conditions, checkWrite } from "../../concurrency/conditions.ts";
import { checkImmutabilityChange, type Guarded, type Immutability } from "../../concurrency/immutability.ts";
import type { Writer } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { checkGuarding, putBlobRecord, readState, type Selector, type State } from "./blobs.ts";
import { throwIf } from "./containers.ts";
import { indexGuard } from "./guard-index.ts";
import type { BlobRef } from "./names.ts";
import { putVersionOrSnapshot } from "./replace-blob.ts";

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
  await changeState(blobs, request, ({ container, record }, now) => {
    throwIf(checkWrite(request.conditions, record, "change"));
    checkGuarding(container, immutability, now);
    throwIf(checkImmutabilityChange(record.immutability, immutability, now));
    return { ...record, immutability };
  });
  return immutability;
}

/** Also in a container that may have no new ones: what is left of older days can be taken off. */
export async function deleteImmutabilityPolicy(blobs: BlobService, request: OnState): Promise<void> {
  await changeState(blobs, request, ({ record }, now) => {
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
  await changeState(blobs, request, ({ container, record }, now) => {
    const { hasLegalHold: _, ...rest } = record;
    if (!request.hasLegalHold) return rest;
    checkGuarding(container, undefined, now);
    return { ...rest, hasLegalHold: true };
  });
}

/** What held a state of a blob, before the operator released it. */
export type Released = Guarded & OnState;

/**
 * The operator's way out: takes a policy, locked or not, and a legal hold off a state of a blob. No request can do
 * this, only a command that is run on a store at rest. undefined when nothing held the state.
 */
export async function releaseImmutability(
  blobs: BlobService,
  request: OnState,
): Promise<Released | undefined> {
  let released: Released | undefined;
  await changeState(blobs, request, ({ record }) => {
    const { immutability, hasLegalHold, ...rest } = record;
    if (immutability === undefined && hasLegalHold === undefined) return record;
    released = {
      ...request,
      ...(immutability === undefined ? {} : { immutability }),
      ...(hasLegalHold === undefined ? {} : { hasLegalHold }),
    };
    return rest;
  });
  return released;
}

/** Beside the blob, not of it: no new ETag, whichever of its states is meant. */
async function changeState(
  blobs: BlobService,
  { ref, selector }: OnState,
  change: (state: State, now: Instant) => BlobRecord,
): Promise<void> {
  await blobs.parts.store.write(async (write: Writer) => {
    const state = await readState(write, ref, selector);
    const { container, record, isCurrent } = state;
    if (record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const after = change(state, write.now());
    const place = { container, ref };
    if (isCurrent) putBlobRecord(write, place, record, after);
    else {
      const at = (selector.snapshot ?? selector.version)!;
      indexGuard(write, { container: container.id, blob: ref.blob, at }, record, undefined);
      putVersionOrSnapshot(write, place, at, after);
    }
  });
}
