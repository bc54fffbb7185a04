import type { Instant } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import { type Conditions, checkRead, NO_CONDITIONS } from "../../concurrency/conditions.ts";
import { continueAsync, type MaybePromise, type SyncReader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { OpenPayload, SliceRange } from "../payload/payloads.ts";
import type { BlobService } from "./blob-service.ts";
import { checkReadLease, readStateSync, type Selector, type State } from "./blobs.ts";
import { throwIf } from "./containers.ts";
import { openBlobContent } from "./content.ts";
import type { BlobRef } from "./names.ts";

export interface ReadBlob {
  readonly ref: BlobRef;
  readonly selector: Selector;
  readonly conditions: Conditions;
  readonly leaseId: string | undefined;
  /** SHA-256 of the key the client brought, to be compared with the one the blob was written with. */
  readonly keySha256: string | undefined;
}

export interface SeenBlob {
  readonly record: BlobRecord;
  readonly isCurrent: boolean;
  readonly now: Instant;
}

export interface OpenedBlob extends SeenBlob {
  readonly range: SliceRange;
  /** Undefined when the bytes are in the record. To be closed by whoever has it. */
  readonly payload: OpenPayload | undefined;
}

/** Get Blob Properties, Get Blob Metadata. */
export function getBlobProperties(blobs: BlobService, request: ReadBlob): MaybePromise<SeenBlob> {
  return blobs.parts.store.view((read) => {
    const { record, isCurrent } = readChecked(read, request);
    return { record, isCurrent, now: read.now() };
  });
}

/**
 * Get Blob. The record and its bytes come from one snapshot, and the bytes are pinned before the snapshot ends:
 * the download has the content and the ETag it started with, whatever is written while it runs.
 */
export function getBlob(
  blobs: BlobService,
  request: ReadBlob & { readonly rangeOf: (length: number) => SliceRange },
): MaybePromise<OpenedBlob> {
  return blobs.parts.store.view<OpenedBlob>((read) => {
    const { record, isCurrent } = readChecked(read, request);
    if (record.tier === "Archive") throw new Refusal("BlobArchived");
    const range = request.rangeOf(record.length);
    const now = read.now();
    if ("inline" in record.content || range.length === 0)
      return { record, isCurrent, now, range, payload: undefined };
    return continueAsync(async (snapshot) => {
      const payload = await openBlobContent(blobs.parts.payloads, snapshot, record, range);
      return { record, isCurrent, now, range, payload };
    });
  });
}

function readChecked(read: SyncReader, request: ReadBlob): State {
  const state = readStateSync(read, request.ref, request.selector);
  checkReadLease(read, state, request.leaseId);
  if (request.conditions !== NO_CONDITIONS) throwIf(checkRead(request.conditions, state.record));
  checkKey(state.record, request.keySha256);
  return state;
}

/** A blob written with a customer's key is read with the same key or not at all. */
export function checkKey({ keySha256 }: Pick<BlobRecord, "keySha256">, given: string | undefined): void {
  if (keySha256 === given) return;
  if (given === undefined) throw new Refusal("BlobUsesCustomerSpecifiedEncryption");
  throw new Refusal(
    keySha256 === undefined
      ? "BlobDoesNotUseCustomerSpecifiedEncryption"
      : "BlobCustomerSpecifiedEncryptionMismatch",
  );
}
