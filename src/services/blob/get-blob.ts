import type { Instant } from "../../base/clock.ts";
import { Refusal, throwIf } from "../../base/refusals.ts";
import { checkRead, NO_CONDITIONS } from "../../concurrency/conditions.ts";
import { continueAsync, type MaybePromise, type SyncReader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { OpenPayload, SliceRange } from "../payload/payloads.ts";
import { checkReadLease, type GuardedState, readStateSync, type State } from "./blobs.ts";
import { openBlobContent } from "./content.ts";
import type { BlobContext } from "./context.ts";
import { checkKey } from "./new-blob.ts";

export interface GetBlob extends GuardedState {
  /** SHA-256 of the client's key, compared with that of the key the blob was written with. */
  readonly keySha256: string | undefined;
}

export interface BlobView {
  readonly record: BlobRecord;
  readonly isCurrent: boolean;
  readonly now: Instant;
}

export interface OpenedBlob extends BlobView {
  readonly range: SliceRange;
  /** Undefined when the bytes are in the record. The caller closes it. */
  readonly payload: OpenPayload | undefined;
}

/** Get Blob Properties, Get Blob Metadata. */
export function getBlobProperties(blobs: BlobContext, request: GetBlob): MaybePromise<BlobView> {
  return blobs.store.view((read) => {
    const { record, isCurrent } = readChecked(read, request);
    return { record, isCurrent, now: read.now() };
  });
}

/**
 * Get Blob. The record and its bytes come from one snapshot of the store, and the bytes are pinned before the
 * snapshot ends: a download has the content and the ETag it started with, whatever is written meanwhile.
 */
export function getBlob(
  blobs: BlobContext,
  request: GetBlob & { readonly rangeOf: (length: number) => SliceRange },
): MaybePromise<OpenedBlob> {
  return blobs.store.view<OpenedBlob>((read) => {
    const { record, isCurrent } = readChecked(read, request);
    if (record.tier === "Archive") throw new Refusal("BlobArchived");
    const range = request.rangeOf(record.length);
    const now = read.now();
    if ("inline" in record.content || range.length === 0)
      return { record, isCurrent, now, range, payload: undefined };
    return continueAsync(async (snapshot) => {
      const payload = await openBlobContent(blobs.payloads, snapshot, record, range);
      return { record, isCurrent, now, range, payload };
    });
  });
}

function readChecked(read: SyncReader, request: GetBlob): State {
  const state = readStateSync(read, request.ref, request.selector);
  checkReadLease(read, state, request.leaseId);
  if (request.conditions !== NO_CONDITIONS) throwIf(checkRead(request.conditions, state.record));
  checkKey(state.record, request.keySha256);
  return state;
}
