import type { Instant } from "../../base/clock.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { type Conditions, checkWrite } from "../../concurrency/conditions.ts";
import {
  checkMayGuard,
  checkMutability,
  type Immutability,
  isRetention,
} from "../../concurrency/immutability.ts";
import { AVAILABLE, checkLeaseRead, checkLeaseWrite, leaseAfterWrite } from "../../concurrency/lease.ts";
import { blobKey, versionKey } from "../../store/keys/blob.ts";
import type { MaybePromise, Reader, SyncReader, Writer } from "../../store/kv.ts";
import type { BlobRecord, ContainerRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { leaseOf, readContainerSync, throwIf, withLease } from "./containers.ts";
import { indexGuard } from "./guard-index.ts";
import type { BlobRef } from "./names.ts";
import { indexTags } from "./tag-index.ts";

/** What the operations on blobs have in common: finding them, and the order in which a write is judged. */

/** Which state of a blob is meant: the present one, a snapshot, or a version. */
export interface Selector {
  readonly snapshot?: Revision;
  readonly version?: Revision;
}

export interface Found {
  readonly container: ContainerRecord;
  /** The record at the blob's key, uncommitted or not. */
  readonly stored: BlobRecord | undefined;
  /** The same where it counts as a blob that exists. */
  readonly blob: BlobRecord | undefined;
}

export function findBlob(read: Reader, ref: BlobRef): MaybePromise<Found> {
  return read.view((records) => findBlobSync(records, ref));
}

export function findBlobSync(read: SyncReader, ref: BlobRef): Found {
  const container = readContainerSync(read, ref);
  const bytes = read.get(blobKey(container.id, ref.blob));
  if (bytes === undefined) return { container, stored: undefined, blob: undefined };
  const stored = settled(blobRecord.unpack(bytes), read.now());
  const isVisible: boolean = isThere(stored, read.now());
  if (isVisible) return { container, stored, blob: stored };
  // A lease ends with the blob it was on, also when the blob went by its expiry.
  const left = stored.isUncommitted === true ? stored : withLease(stored, AVAILABLE);
  return { container, stored: left, blob: undefined };
}

/**
 * Only uncommitted blocks, or past its expiry: not there for anyone who asks for a blob. What a policy or a hold
 * keeps does not expire meanwhile.
 */
export function isThere(record: BlobRecord | undefined, now: Instant): record is BlobRecord {
  if (record === undefined || record.isUncommitted === true) return false;
  if (record.expiresAt === undefined || record.expiresAt > now) return true;
  return checkMutability(record, now) !== undefined;
}

/** What time alone has changed: a blob on its way out of the archive has arrived. */
export function settled(record: BlobRecord, now: Instant): BlobRecord {
  if (record.rehydrate === undefined || record.rehydrate.doneAt > now) return record;
  const { rehydrate, ...rest } = record;
  return { ...rest, tier: rehydrate.to, tierChangedAt: rehydrate.doneAt };
}

/** A state of the blob for reading. Throws BlobNotFound. */
export function readState(read: Reader, ref: BlobRef, selector: Selector): MaybePromise<State> {
  return read.view((records) => readStateSync(records, ref, selector));
}

export function readStateSync(read: SyncReader, ref: BlobRef, selector: Selector): State {
  const found = findBlobSync(read, ref);
  if (selector.snapshot !== undefined || selector.version !== undefined)
    return readVersionOrSnapshot(read, ref, selector, found);
  if (found.blob === undefined) throw new Refusal("BlobNotFound");
  return { container: found.container, record: found.blob, isCurrent: true };
}

function readVersionOrSnapshot(
  read: SyncReader,
  ref: BlobRef,
  { snapshot, version }: Selector,
  { container, blob }: Found,
): State {
  if (version !== undefined && blob?.version === version) return { container, record: blob, isCurrent: true };
  const bytes = read.get(versionKey(container.id, ref.blob, snapshot ?? version!));
  const record = bytes === undefined ? undefined : settled(blobRecord.unpack(bytes), read.now());
  const wanted = snapshot === undefined ? "version" : "snapshot";
  if (record?.stateKind !== wanted || record.deleted !== undefined) throw new Refusal("BlobNotFound");
  return { container, record, isCurrent: false };
}

export interface State {
  readonly container: ContainerRecord;
  readonly record: BlobRecord;
  readonly isCurrent: boolean;
}

export interface BlobGuards {
  readonly conditions: Conditions;
  readonly leaseId: string | undefined;
}

/** On reads an id is a condition; a snapshot or a version has no lease of its own. */
export function checkReadLease(
  read: Pick<Reader, "now">,
  { record, isCurrent }: State,
  leaseId: string | undefined,
): void {
  if (leaseId === undefined) return;
  throwIf(checkLeaseRead(isCurrent ? leaseOf(record) : { state: "available" }, leaseId, read.now(), "Blob"));
}

/**
 * Whether a write may go ahead, in the order clients have come to rely on: the lease, then existence, then the
 * conditions, then the state the blob is in. A leased blob answers LeaseIdMissing even to "If-None-Match: *".
 */
export function checkBlobWrite(
  read: Pick<Reader, "now">,
  { stored, blob }: Found,
  guards: BlobGuards,
  kind: "create" | "change",
): void {
  if (kind === "change" && blob === undefined) throw new Refusal("BlobNotFound");
  throwIf(
    checkLeaseWrite(stored === undefined ? leaseOf({}) : leaseOf(stored), guards.leaseId, read.now(), "Blob"),
  );
  throwIf(checkWrite(guards.conditions, blob, kind));
  if (blob !== undefined) checkChangeable(blob, read.now());
}

/** A change of content, metadata or properties; deleting and tiering have their own rules. */
export function checkChangeable(blob: BlobRecord, now: Instant): void {
  if (blob.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
  checkMutable(blob, now);
  if (blob.rehydrate !== undefined) throw new Refusal("BlobBeingRehydrated");
  if (blob.tier === "Archive") throw new Refusal("BlobArchived");
}

export function checkMutable(blob: BlobRecord, now: Instant): void {
  throwIf(checkMutability(blob, now));
}

/** Whether a policy (or, without one, a hold) may be put on a blob of the container. */
export function checkGuarding(
  container: ContainerRecord,
  immutability: Immutability | undefined,
  now: Instant,
): void {
  throwIf(checkMayGuard(container));
  if (immutability === undefined || isRetention(immutability.until, now)) return;
  throw badHeader("x-ms-immutability-policy-until-date", new Date(immutability.until).toUTCString());
}

/**
 * The one way a blob's present record is written: whatever must follow a blob's record around (an index over its
 * tags, say) belongs here. `before` is what the key held.
 */
export function putBlobRecord(
  write: Writer,
  place: { readonly container: ContainerRecord; readonly ref: BlobRef },
  before: BlobRecord | undefined,
  after: BlobRecord | undefined,
): void {
  if (before?.tags !== undefined || after?.tags !== undefined) indexTags(write, place, before, after);
  if (isGuarded(before) || isGuarded(after)) {
    indexGuard(write, { container: place.container.id, blob: place.ref.blob }, before, after);
  }
  const key = blobKey(place.container.id, place.ref.blob);
  if (after === undefined) write.delete(key);
  else write.put(key, blobRecord.pack(after));
}

function isGuarded(record: BlobRecord | undefined): boolean {
  return record?.immutability !== undefined || record?.hasLegalHold === true;
}

/** The lease a written blob carries on: one in force, or none. */
export function withLeaseAfterWrite(
  record: BlobRecord,
  before: BlobRecord | undefined,
  now: Instant,
): BlobRecord {
  return before?.lease === undefined ? record : withLease(record, leaseAfterWrite(before.lease, now));
}
