import { then } from "../../base/maybe-promise.ts";
import { Refusal, throwIf } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { checkFileWrite } from "../../concurrency/file-lease.ts";
import type { RestUse } from "../../concurrency/share-mode.ts";
import type { MaybePromise, Reader, Writer } from "../../store/kv.ts";
import type { InodeRecord, ShareRecord } from "../../store/records/file.ts";
import { leaseOf, withLeaseAfterWrite } from "../lease-action.ts";
import type { Admissions } from "./access.ts";
import { isReadOnly, normalizedAttributes } from "./attributes.ts";
import {
  findKind,
  type Inode,
  inodeAt,
  type MutableInode,
  putInode,
  ROOT,
  readInode,
  ticksOf,
} from "./inodes.ts";
import type { PathRef } from "./names.ts";
import { type PermissionRequest, resolvePermission } from "./permissions.ts";
import { readShare, refuseSnapshot } from "./shares.ts";
import { LiveView, type View } from "./versions.ts";

/** The properties that a client may set on a file or directory. */
export interface InodeChanges {
  readonly attributes?: number | undefined;
  readonly createdAt?: TimeRequest;
  readonly writtenAt?: TimeRequest;
  readonly changedAt?: bigint | "now" | undefined;
  readonly permission?: PermissionRequest;
}

type TimeRequest = bigint | "now" | "preserve" | undefined;

function resolveTime(requested: TimeRequest, now: bigint, present: bigint): bigint {
  if (requested === undefined || requested === "preserve") return present;
  return requested === "now" ? now : requested;
}

/** Sets the requested properties in `record`, a copy that the caller owns. */
export function applyChanges(
  write: Writer,
  { share, view }: { readonly share: ShareRecord; readonly view: View },
  record: MutableInode,
  requested: InodeChanges,
): MaybePromise<MutableInode> {
  const now = ticksOf(write);
  record.attributes = normalizedAttributes(record.kind, requested.attributes ?? record.attributes);
  record.createdAt = resolveTime(requested.createdAt, now, record.createdAt);
  record.writtenAt = resolveTime(requested.writtenAt, now, record.writtenAt);
  record.changedAt = resolveTime(requested.changedAt, now, now);
  return then(readInode(view, share.id, record.parent), ({ permission: inherited }) => {
    const own = record.permission;
    const permission = resolvePermission(write, share.id, requested.permission, { own, inherited });
    return then(permission, (key) => {
      record.permission = key;
      return record;
    });
  });
}

export interface FileChange {
  readonly ref: PathRef;
  readonly leaseId?: string | undefined;
}

export interface LoadedInode {
  readonly share: ShareRecord;
  readonly view: View;
  readonly inode: Inode;
}

/** The checks that a request skips. */
interface ChangeOptions {
  readonly ignoresReadOnly?: boolean;
  readonly ignoresCopy?: boolean;
}

/**
 * Finds a file (or a directory, by `kind`) and checks that it may be changed, in this order: it exists, it is
 * not being deleted, it is not read-only, the lease allows the change, no copy into it is pending, no open
 * handle excludes the change, no lock covers the range.
 */
export async function openForChange(
  write: Writer,
  admissions: Admissions,
  { ref, leaseId }: FileChange,
  use: RestUse,
  options: ChangeOptions & { readonly kind?: InodeRecord["kind"] } = {},
): Promise<LoadedInode> {
  refuseSnapshot(ref);
  const read = readShare(write, ref);
  const share = read instanceof Promise ? await read : read;
  const view = new LiveView(write);
  const found = findKind(view, share.id, ref.path, options.kind ?? "file");
  const inode = found instanceof Promise ? await found : found;
  checkChange(write, admissions, share, inode, leaseId, use, options);
  return { share, view, inode };
}

export function checkChange(
  write: Writer,
  admissions: Admissions,
  share: ShareRecord,
  inode: Inode,
  leaseId: string | undefined,
  use: RestUse,
  options: ChangeOptions = {},
): void {
  const admission = admissions.ask(share, inode, use);
  checkState(write, inode.record, leaseId, options);
  admission.pass();
}

/** Whether the record of a file allows a change: its read-only attribute, its lease, and a copy into it. */
export function checkState(
  read: Reader,
  record: InodeRecord,
  leaseId: string | undefined,
  options: ChangeOptions = {},
): void {
  if (isReadOnly(record) && options.ignoresReadOnly !== true) throw new Refusal("ReadOnlyAttribute");
  throwIf(checkFileWrite(leaseOf(record), leaseId, read.now()));
  if (record.copy?.status === "pending" && options.ignoresCopy !== true)
    throw new Refusal("PendingCopyOperation");
}

/** Refuses to put something into a directory that is being deleted. */
export function checkParent(
  view: View,
  admissions: Admissions,
  share: ShareRecord,
  parent: bigint,
): MaybePromise<void> {
  if (share.isOpened !== true || parent === ROOT) return;
  return then(inodeAt(view, share.id, parent), (inode) => void admissions.ask(share, inode, "look"));
}

/**
 * Puts an inode after a write to its content. A hot path: it copies the record once and sets single fields.
 */
export function putWritten(
  write: Writer,
  share: ShareRecord,
  { id, record }: Inode,
  change: {
    readonly writtenAt: bigint;
    readonly changedAt?: bigint;
    readonly size?: number;
    readonly attributes?: number;
    /** The write starts new content, which the returned revision names. */
    readonly isEmptied?: boolean;
  },
): MaybePromise<Revision> {
  const dataRevision = write.revision(record.dataRevision);
  const revision = write.revision(record.revision);
  const changed: MutableInode = { ...record };
  changed.revision = revision;
  changed.dataRevision = dataRevision;
  changed.writtenAt = change.writtenAt;
  changed.changedAt = change.changedAt ?? ticksOf(write);
  changed.size = change.size ?? record.size;
  changed.attributes = change.attributes ?? record.attributes;
  if (change.isEmptied === true) changed.content = revision;
  const put = putInode(write, share, id, withLeaseAfterWrite(changed, record, write.now()), revision);
  return put instanceof Promise ? put.then(() => revision) : revision;
}

/** Puts a changed inode with a new revision and change time, and clears an expired or broken lease. */
export async function putChanged(
  write: Writer,
  share: ShareRecord,
  { id, record }: Inode,
  changes: Partial<InodeRecord>,
): Promise<Revision> {
  const revision = write.revision(record.revision);
  const changed = { ...record, changedAt: ticksOf(write), ...changes, revision };
  await putInode(write, share, id, withLeaseAfterWrite(changed, record, write.now()), revision);
  return revision;
}
