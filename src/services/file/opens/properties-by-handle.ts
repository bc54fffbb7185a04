import { Refusal } from "../../../base/refusals.ts";
import { deletePendingKey, entriesRange, handleKey, inodeKey } from "../../../store/keys/file.ts";
import type { Writer } from "../../../store/kv.ts";
import { type EntryRecord, entryRecord, type InodeRecord, inodeRecord } from "../../../store/records/file.ts";
import { ATTRIBUTE } from "../attributes.ts";
import { changeEas, type EaRecord, eaSummary, putEas, readEas, withoutEas } from "../extended-attributes.ts";
import type { FileService } from "../file-service.ts";
import { putChanged } from "../inode-changes.ts";
import { type Inode, ROOT, readInode, ticksOf } from "../inodes.ts";
import type { ListedInode } from "../list-directory.ts";
import { foldName } from "../names.ts";
import { findPermission, putPermission } from "../permissions.ts";
import type { Acls } from "../security/acls.ts";
import { parseSddl, printSddl } from "../security/sddl.ts";
import { mergeSecurityParts, type SecurityDescriptor } from "../security/security-descriptor.ts";
import { readStreams, type StreamList } from "../streams.ts";
import { findBaseByHandle, findByHandle, findShownByHandle } from "./find-by-handle.ts";
import type { HandleId } from "./open-request.ts";
import { securityAfter } from "./open-rights.ts";

/** Refuses when the handle is closed. */
export async function isDeletePendingByHandle(files: FileService, handle: HandleId): Promise<boolean> {
  const { ref, share, inode, id, base } = handle;
  if (ref.snapshot !== undefined) return false;
  const keys = [handleKey(share, inode, id), deletePendingKey(share, inode)];
  if (base !== undefined) keys.push(deletePendingKey(share, base));
  const [stored, ...pending] = await files.parts.store.ephemeral.read((read) => read.getMany(keys));
  if (stored === undefined) throw new Refusal("ResourceNotFound");
  return pending.some((mark) => mark !== undefined);
}

export function readRecordByHandle(files: FileService, handle: HandleId): Promise<InodeRecord> {
  return files.parts.store.read(async (read) => (await findShownByHandle(read, handle)).inode.record);
}

/** The parent directory; undefined at the root. */
export async function readParentByHandle(files: FileService, handle: HandleId): Promise<Inode | undefined> {
  if ((handle.base ?? handle.inode) === ROOT) return undefined;
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findBaseByHandle(read, handle);
    const { parent } = inode.record;
    return { id: parent, record: await readInode(view, share.id, parent) };
  });
}

/** Read-only, hidden, system, archive, temporary, sparse, offline, not indexed. */
const SETTABLE_ATTRIBUTES = 0x3327;

export interface ChangeByHandle {
  readonly createdAt?: bigint | undefined;
  readonly accessedAt?: bigint | undefined;
  readonly writtenAt?: bigint | undefined;
  /** "keep": the client has set it through this handle. */
  readonly changedAt?: bigint | "keep" | undefined;
  readonly attributes?: number | undefined;
  readonly security?: SecurityChange | undefined;
}

export interface SecurityChange {
  readonly descriptor: SecurityDescriptor;
  /** Bits of SECURITY_PART: the parts to replace. */
  readonly parts: number;
}

/** `acls` is undefined where ACLs are not enforced. */
export async function changeByHandle(
  files: FileService,
  handle: HandleId,
  change: ChangeByHandle,
  acls: Acls | undefined,
): Promise<void> {
  await files.parts.store.write(async (write) => {
    const { share, inode } = await findBaseByHandle(write, handle);
    const { record } = inode;
    const { createdAt, accessedAt, writtenAt, changedAt, attributes, security } = change;
    const permission = security && (await changedPermission(write, share.id, record, security, acls));
    await putChanged(write, share, inode, {
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(accessedAt === undefined ? {} : { accessedAt }),
      ...(writtenAt === undefined ? {} : { writtenAt }),
      changedAt: changedAt === "keep" ? record.changedAt : (changedAt ?? ticksOf(write)),
      ...(attributes === undefined ? {} : { attributes: attributesAfter(record, attributes) }),
      ...(permission === undefined ? {} : { permission }),
    });
  });
}

async function changedPermission(
  write: Writer,
  share: bigint,
  record: InodeRecord,
  { descriptor, parts }: SecurityChange,
  acls: Acls | undefined,
): Promise<string> {
  const after =
    acls === undefined
      ? mergeSecurityParts(
          parseSddl(await findPermission(write, share, record.permission)),
          descriptor,
          parts,
        )
      : securityAfter(acls, (await acls.guardOf(write, share, record)).descriptor, descriptor, parts);
  return putPermission(write, share, printSddl(after));
}

function attributesAfter({ kind, attributes }: InodeRecord, requested: number): number {
  const changed = (attributes & ~SETTABLE_ATTRIBUTES) | (requested & SETTABLE_ATTRIBUTES);
  return kind === "directory" ? changed | ATTRIBUTE.Directory : changed;
}

/** The security descriptor in SDDL. */
export function readSecurityByHandle(
  files: FileService,
  handle: HandleId,
  acls: Acls | undefined,
): Promise<string> {
  return files.parts.store.read(async (read) => {
    const { share, inode } = await findBaseByHandle(read, handle);
    if (acls !== undefined) return printSddl((await acls.guardOf(read, share.id, inode.record)).descriptor);
    return findPermission(read, share.id, inode.record.permission);
  });
}

/** The extended attributes of the file or directory, also through the handle of one of its named streams. */
export function readEasByHandle(files: FileService, handle: HandleId): Promise<readonly EaRecord[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findBaseByHandle(read, handle);
    // A value is a view of memory that the store may reuse after the transaction.
    return (await readEas(view, share.id, inode)).map((ea) => ({ ...ea, value: Buffer.from(ea.value) }));
  });
}

/** Sets the attributes that have a value and removes the others: all of them, or none. */
export async function changeEasByHandle(
  files: FileService,
  handle: HandleId,
  changes: readonly EaRecord[],
  isChangedAtFrozen: boolean,
): Promise<void> {
  await files.parts.store.write(async (write) => {
    const { share, view, inode } = await findBaseByHandle(write, handle);
    const { id, record } = inode;
    const eas = changeEas(await readEas(view, share.id, inode), changes);
    const changed = { id, record: withoutEas(record) };
    const since = await putChanged(write, share, changed, {
      ...eaSummary(eas),
      changedAt: isChangedAtFrozen ? record.changedAt : ticksOf(write),
      ...(record.kind === "file" ? { attributes: record.attributes | ATTRIBUTE.Archive } : {}),
    });
    await putEas(write, share, id, { eas, since });
  });
}

/** A file or directory and its named streams, also through the handle of one of them. */
export function listStreamsByHandle(files: FileService, handle: HandleId): Promise<StreamList> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findBaseByHandle(read, handle);
    return { base: inode, named: await readStreams(view, share.id, inode) };
  });
}

export interface DirectoryPage {
  /** The last name of the page before; undefined for the first page. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Entries of a directory in the order of folded names. */
export function listByHandle(
  files: FileService,
  handle: HandleId,
  { after, limit }: DirectoryPage,
): Promise<readonly ListedInode[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findByHandle(read, handle);
    const last = after === undefined ? undefined : foldName(after);
    const entries: EntryRecord[] = [];
    const range = entriesRange(share.id, inode.id, "", last);
    for await (const { value } of view.range({ ...range, limit: limit + 1 })) {
      const entry = entryRecord.unpack(value);
      if (foldName(entry.name) === last) continue;
      if (entries.length === limit) break;
      entries.push(entry);
    }
    const stored = await view.getMany(entries.map((entry) => inodeKey(share.id, entry.inode)));
    return entries.flatMap((entry, i) => {
      const bytes = stored[i];
      return bytes === undefined ? [] : [{ entry, record: inodeRecord.unpack(bytes) }];
    });
  });
}
