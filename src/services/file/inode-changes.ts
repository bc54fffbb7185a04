import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { checkFileWrite } from "../../concurrency/file-lease.ts";
import { leaseAfterWrite } from "../../concurrency/lease.ts";
import type { RestUse } from "../../concurrency/share-mode.ts";
import type { MaybePromise, Reader, Writer } from "../../store/kv.ts";
import type { InodeRecord, ShareRecord } from "../../store/records/file.ts";
import type { Admissions } from "./access.ts";
import { isReadOnly } from "./attributes.ts";
import { findFile, type Inode, putInode, ROOT, readInode, ticksOf } from "./inodes.ts";
import type { PathRef } from "./names.ts";
import type { PermissionRequest } from "./permissions.ts";
import { leaseOf, readShare, refuseSnapshot, throwIf, withLease } from "./shares.ts";
import { LiveView, type View } from "./versions.ts";

/** What a client may say of a file or directory beside its content. */
export interface InodeChanges {
  readonly attributes?: number | undefined;
  readonly createdAt?: bigint | "now" | "preserve" | undefined;
  readonly writtenAt?: bigint | "now" | "preserve" | undefined;
  readonly changedAt?: bigint | "now" | undefined;
  readonly permission?: PermissionRequest;
}

export function resolveTime(
  wish: bigint | "now" | "preserve" | undefined,
  now: bigint,
  present: bigint,
): bigint {
  if (wish === undefined || wish === "preserve") return present;
  return wish === "now" ? now : wish;
}

export interface FileChange {
  readonly ref: PathRef;
  readonly leaseId?: string | undefined;
}

export interface OpenedFile {
  readonly share: ShareRecord;
  readonly view: View;
  readonly inode: Inode;
}

/**
 * The order in which a file answers a call that changes it: is it there, is it being deleted, is it read-only, is
 * it leased, is a copy into it under way, is it open in a way that excludes this, is a part of it locked.
 */
export async function openForChange(
  write: Writer,
  admissions: Admissions,
  { ref, leaseId }: FileChange,
  use: RestUse,
  options: { readonly ignoresReadOnly?: boolean; readonly ignoresCopy?: boolean } = {},
): Promise<OpenedFile> {
  refuseSnapshot(ref);
  const read = readShare(write, ref);
  const share = read instanceof Promise ? await read : read;
  const view = new LiveView(write);
  const found = findFile(view, share.id, ref.path);
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
  options: { readonly ignoresReadOnly?: boolean; readonly ignoresCopy?: boolean } = {},
): void {
  const admission = admissions.ask(share, inode, use);
  checkState(write, inode.record, leaseId, options);
  admission.pass();
}

/** What the record of a file alone says about a change of it. */
export function checkState(
  read: Reader,
  record: InodeRecord,
  leaseId: string | undefined,
  options: { readonly ignoresReadOnly?: boolean; readonly ignoresCopy?: boolean } = {},
): void {
  if (isReadOnly(record) && options.ignoresReadOnly !== true) throw new Refusal("ReadOnlyAttribute");
  throwIf(checkFileWrite(leaseOf(record), leaseId, read.now()));
  if (record.copy?.status === "pending" && options.ignoresCopy !== true) {
    throw new Refusal("PendingCopyOperation");
  }
}

/** A directory into which something is put must not be on its way out. */
export function checkParent(
  view: View,
  admissions: Admissions,
  share: ShareRecord,
  parent: bigint,
): Promise<void> | undefined {
  return share.isOpened !== true || parent === ROOT ? undefined : askParent(view, admissions, share, parent);
}

async function askParent(
  view: View,
  admissions: Admissions,
  share: ShareRecord,
  parent: bigint,
): Promise<void> {
  admissions.ask(share, { id: parent, record: await readInode(view, share.id, parent) }, "look");
}

function withLeaseAfterWrite(changed: InodeRecord, former: InodeRecord, write: Writer): InodeRecord {
  if (former.lease === undefined) return changed;
  return withLease(changed, leaseAfterWrite(former.lease, write.now()));
}

/**
 * Puts a node whose content was written to. Every Put Range and every WRITE comes here: the record is copied once, and its fields
 * are set one by one.
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
    /** Nothing of its content is left: what comes belongs to a new one, named by the revision that is returned. */
    readonly isEmptied?: boolean;
  },
): MaybePromise<Revision> {
  const dataRevision = write.revision(record.dataRevision);
  const revision = write.revision(record.revision);
  const changed: { -readonly [Name in keyof InodeRecord]: InodeRecord[Name] } = { ...record };
  changed.revision = revision;
  changed.dataRevision = dataRevision;
  changed.writtenAt = change.writtenAt;
  changed.changedAt = change.changedAt ?? ticksOf(write);
  changed.size = change.size ?? record.size;
  changed.attributes = change.attributes ?? record.attributes;
  if (change.isEmptied === true) changed.content = revision;
  const put = putInode(write, share, id, withLeaseAfterWrite(changed, record, write), revision);
  return put instanceof Promise ? put.then(() => revision) : revision;
}

/** Puts a changed node: a new revision, a new change time, and what is left of an old lease gone. */
export async function putChanged(
  write: Writer,
  share: ShareRecord,
  { id, record }: Inode,
  changes: Partial<InodeRecord>,
): Promise<Revision> {
  const revision = write.revision(record.revision);
  const changed = { ...record, changedAt: ticksOf(write), ...changes, revision };
  await putInode(write, share, id, withLeaseAfterWrite(changed, record, write), revision);
  return revision;
}
