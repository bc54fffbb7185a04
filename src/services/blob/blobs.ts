import type { Instant } from "../../base/clock.ts";
import { badHeader, Refusal, throwIf } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { checkWrite, targetCode } from "../../concurrency/conditions.ts";
import {
  checkImmutabilityAllowed,
  checkMutability,
  type Immutability,
  isRetention,
} from "../../concurrency/immutability.ts";
import { AVAILABLE, checkLeaseRead, checkLeaseWrite } from "../../concurrency/lease.ts";
import { blobKey, versionKey } from "../../store/keys/blob.ts";
import type { MaybePromise, Reader, SyncReader, Writer } from "../../store/kv.ts";
import type { BlobRecord, ContainerRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { withLease } from "../lease-action.ts";
import { type Guards, readContainerSync } from "./containers.ts";
import { indexImmutability } from "./immutability-index.ts";
import type { BlobRef } from "./names.ts";
import { indexTags } from "./tag-index.ts";

/** What the operations on blobs have in common: finding a blob, and the order in which a write is checked. */

/** Which state of a blob a request names: the current one, a snapshot, or a version. */
export interface Selector {
  readonly snapshot?: Revision;
  readonly version?: Revision;
}

/** A blob's name with the record of its container. */
export interface Place {
  readonly ref: BlobRef;
  readonly container: ContainerRecord;
}

export interface Found extends Place {
  /** The record at the blob's key, also when it holds only uncommitted blocks. */
  readonly stored: BlobRecord | undefined;
  /** The same record when it counts as an existing blob. */
  readonly blob: BlobRecord | undefined;
}

export interface State extends Place {
  readonly record: BlobRecord;
  readonly isCurrent: boolean;
}

export interface GuardedBlob extends Guards {
  readonly ref: BlobRef;
}

export interface GuardedState extends GuardedBlob {
  readonly selector: Selector;
}

export function findBlob(read: Reader, ref: BlobRef): MaybePromise<Found> {
  return read.view((records) => findBlobSync(records, ref));
}

function findBlobSync(read: SyncReader, ref: BlobRef): Found {
  const container = readContainerSync(read, ref);
  const bytes = read.get(blobKey(container.id, ref.blob));
  if (bytes === undefined) return { ref, container, stored: undefined, blob: undefined };
  const record = rehydrated(blobRecord.unpack(bytes), read.now());
  const isFound: boolean = exists(record, read.now());
  if (isFound) return { ref, container, stored: record, blob: record };
  // A blob's lease ends with the blob, also when the blob has expired.
  const stored = record.isUncommitted === true ? record : withLease(record, AVAILABLE);
  return { ref, container, stored, blob: undefined };
}

/**
 * A blob of uncommitted blocks only, or past its expiry, does not exist for clients. A blob under a policy or
 * a hold does not expire until that ends.
 */
export function exists(record: BlobRecord | undefined, now: Instant): record is BlobRecord {
  if (record === undefined || record.isUncommitted === true) return false;
  if (record.expiresAt === undefined || record.expiresAt > now) return true;
  return checkMutability(record, now) !== undefined;
}

/** The record at `now`: once its rehydration time has passed, a blob has left the archive tier. */
export function rehydrated(record: BlobRecord, now: Instant): BlobRecord {
  if (record.rehydrate === undefined || record.rehydrate.doneAt > now) return record;
  const { rehydrate, ...rest } = record;
  return { ...rest, tier: rehydrate.to, tierChangedAt: rehydrate.doneAt };
}

/** The state of the blob that a request names. Throws BlobNotFound. */
export function readState(read: Reader, ref: BlobRef, selector: Selector): MaybePromise<State> {
  return read.view((records) => readStateSync(records, ref, selector));
}

export function readStateSync(read: SyncReader, ref: BlobRef, selector: Selector): State {
  const { container, blob } = findBlobSync(read, ref);
  const { snapshot, version } = selector;
  const at = snapshot ?? version;
  if (at === undefined || (version !== undefined && blob?.version === version)) {
    if (blob === undefined) throw new Refusal("BlobNotFound");
    return { ref, container, record: blob, isCurrent: true };
  }
  const bytes = read.get(versionKey(container.id, ref.blob, at));
  const record = bytes === undefined ? undefined : rehydrated(blobRecord.unpack(bytes), read.now());
  if (record?.stateKind !== kindOf(selector)) throw new Refusal("BlobNotFound");
  if (record.deleted !== undefined)
    throw new Refusal("BlobNotFound", { headers: { "x-ms-is-soft-deleted": "true" } });
  return { ref, container, record, isCurrent: false };
}

/** Of a selector that does not name the current state. */
export function kindOf({ snapshot }: Selector): "snapshot" | "version" {
  return snapshot === undefined ? "version" : "snapshot";
}

/** An operation that reads needs no lease id, but one that is sent must match. */
export function checkBlobLease(
  read: Pick<Reader, "now">,
  record: Pick<BlobRecord, "lease"> | undefined,
  leaseId: string | undefined,
  use: "read" | "write",
): void {
  const check = use === "write" ? checkLeaseWrite : checkLeaseRead;
  throwIf(check(record?.lease ?? AVAILABLE, leaseId, read.now(), "Blob"));
}

/** A snapshot or a version has no lease of its own. */
export function checkReadLease(
  read: Pick<Reader, "now">,
  { record, isCurrent }: State,
  leaseId: string | undefined,
): void {
  if (leaseId !== undefined) checkBlobLease(read, isCurrent ? record : undefined, leaseId, "read");
}

/**
 * Whether a write may go ahead, in the order clients rely on: the lease, then existence, then the conditions,
 * then the state the blob is in. A leased blob answers LeaseIdMissing even to "If-None-Match: *".
 */
export function checkBlobWrite(
  read: Pick<Reader, "now">,
  { stored, blob }: Found,
  guards: Guards,
  kind: "create" | "change",
): void {
  if (kind === "change" && blob === undefined) throw new Refusal("BlobNotFound");
  checkBlobLease(read, stored, guards.leaseId, "write");
  const code = checkWrite(guards.conditions, blob, kind, guards.leaseId !== undefined);
  const isOfTarget = code === "ConditionNotMet" && guards.use !== undefined;
  throwIf(isOfTarget ? targetCode(guards.conditions, blob, guards.use) : code);
  if (blob !== undefined) checkChangeable(blob, read.now());
}

/** For a change of content, metadata or properties; deleting and setting the tier have their own rules. */
export function checkChangeable(blob: BlobRecord, now: Instant): void {
  checkNoPendingCopy(blob);
  checkMutable(blob, now);
  if (blob.rehydrate !== undefined) throw new Refusal("BlobBeingRehydrated");
  if (blob.tier === "Archive") throw new Refusal("BlobArchived");
}

export function checkNoPendingCopy(blob: BlobRecord | undefined): void {
  if (blob?.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
}

export function checkMutable(blob: BlobRecord, now: Instant): void {
  throwIf(checkMutability(blob, now));
}

/**
 * Whether the container allows a policy (or, without one, a hold) on its blobs, and the policy's date is
 * valid.
 */
export function checkNewImmutability(
  container: ContainerRecord,
  immutability: Immutability | undefined,
  now: Instant,
): void {
  throwIf(checkImmutabilityAllowed(container));
  if (immutability === undefined || isRetention(immutability.until, now)) return;
  throw badHeader("x-ms-immutability-policy-until-date", new Date(immutability.until).toUTCString());
}

/**
 * The only function that writes a blob's current record, because the indexes over tags and immutability
 * change with it. `before` is the record at the key.
 */
export function putBlobRecord(
  write: Writer,
  place: Place,
  before: BlobRecord | undefined,
  after: BlobRecord | undefined,
): void {
  const { container, ref } = place;
  if (before?.tags !== undefined || after?.tags !== undefined) indexTags(write, place, before, after);
  if (hasImmutability(before) || hasImmutability(after)) {
    indexImmutability(write, { container: container.id, blob: ref.blob }, before, after);
  }
  const key = blobKey(container.id, ref.blob);
  if (after === undefined) write.delete(key);
  else write.put(key, blobRecord.pack(after));
}

export function hasImmutability(record: BlobRecord | undefined): boolean {
  return record?.immutability !== undefined || record?.hasLegalHold === true;
}
