import { Refusal } from "../../../base/refusals.ts";
import { deletePendingKey, entriesRange, handleKey, inodeKey } from "../../../store/keys/file.ts";
import type { Reader, Writer } from "../../../store/kv.ts";
import { type EntryRecord, entryRecord, type InodeRecord, inodeRecord } from "../../../store/records/file.ts";
import { ATTRIBUTE } from "../attributes.ts";
import type { FileService } from "../file-service.ts";
import { putChanged } from "../inode-changes.ts";
import { type Inode, ROOT, readInode, ticksOf } from "../inodes.ts";
import type { ListedInode } from "../list-directory.ts";
import { foldName } from "../names.ts";
import { DEFAULT_SDDL, findPermission, putPermission } from "../permissions.ts";
import type { Acls } from "../security/acls.ts";
import { parseSddl, printSddl } from "../security/sddl.ts";
import { mergeSecurityParts, type SecurityDescriptor } from "../security/security-descriptor.ts";
import { readStreams, type StreamList } from "../streams.ts";
import type { View } from "../versions.ts";
import { findBaseByHandle, findByHandle, findShownByHandle } from "./held.ts";
import type { Handle } from "./open-inode.ts";
import { securityAfter } from "./open-rights.ts";

/** What is told and changed of a file or directory by handle, its content apart. */
export interface HandleProperties {
  readonly record: InodeRecord;
  readonly isDeletePending: boolean;
}

export async function readPropertiesByHandle(files: FileService, handle: Handle): Promise<HandleProperties> {
  const { store } = files.parts;
  const { share, inode, id, base } = handle;
  const going = [deletePendingKey(share, inode)];
  if (base !== undefined) going.push(deletePendingKey(share, base));
  const isDeletePending = await store.ephemeral.read(async (read) => {
    const [own, ...pending] = await read.getMany([handleKey(share, inode, id), ...going]);
    if (own === undefined) throw new Refusal("ResourceNotFound");
    return pending.some((one) => one !== undefined);
  });
  const record = await store.read(async (read) => (await findShownByHandle(read, handle)).inode.record);
  return { record, isDeletePending };
}

/** The directory above; undefined at the root. */
export function readParent(files: FileService, handle: Handle): Promise<Inode | undefined> {
  if ((handle.base ?? handle.inode) === ROOT) return Promise.resolve(undefined);
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
  /** "keep": the client has set it by this handle, and it stays. */
  readonly changedAt?: bigint | "keep" | undefined;
  readonly attributes?: number | undefined;
  readonly security?: SecurityChange | undefined;
}

export interface SecurityChange {
  readonly given: SecurityDescriptor;
  /** Which of SECURITY_PART are taken from it. */
  readonly parts: number;
  /** Where access lists are enforced. */
  readonly lists: Acls | undefined;
}

export async function changeByHandle(
  files: FileService,
  handle: Handle,
  change: ChangeByHandle,
): Promise<void> {
  await files.parts.store.write(async (write) => {
    const { share, inode } = await findBaseByHandle(write, handle);
    const { record } = inode;
    const { createdAt, accessedAt, writtenAt, changedAt, attributes, security } = change;
    const permission = security && (await changedPermission(write, share.id, record, security));
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
  { given, parts, lists }: SecurityChange,
): Promise<string> {
  if (lists !== undefined) {
    const { descriptor: before } = await lists.guardOf(write, share, record);
    return putPermission(write, share, printSddl(securityAfter(lists, before, given, parts)));
  }
  const before = parseSddl(await sddlOf(write, share, record));
  return putPermission(write, share, printSddl(mergeSecurityParts(before, given, parts)));
}

function sddlOf(read: Reader, share: bigint, { permission }: InodeRecord): Promise<string> | string {
  return permission === undefined ? DEFAULT_SDDL : findPermission(read, share, permission);
}

function attributesAfter({ kind, attributes }: InodeRecord, wanted: number): number {
  const kept = (attributes & ~SETTABLE_ATTRIBUTES) | (wanted & SETTABLE_ATTRIBUTES);
  return kind === "directory" ? kept | ATTRIBUTE.Directory : kept;
}

export function readSecurity(files: FileService, handle: Handle, lists: Acls | undefined): Promise<string> {
  return files.parts.store.read(async (read) => {
    const { share, inode } = await findBaseByHandle(read, handle);
    if (lists !== undefined) return printSddl((await lists.guardOf(read, share.id, inode.record)).descriptor);
    return sddlOf(read, share.id, inode.record);
  });
}

/** A file or directory and its named streams, also by the handle of one of them. */
export function listStreamsByHandle(files: FileService, handle: Handle): Promise<StreamList> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findBaseByHandle(read, handle);
    return { base: inode, named: await readStreams(view, share.id, inode) };
  });
}

/** Entries of a directory after the one named, in the order of folded names. */
export function listByHandle(
  files: FileService,
  handle: Handle,
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly ListedInode[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findByHandle(read, handle);
    return listEntries(view, share.id, inode.id, page);
  });
}

export async function listEntries(
  view: View,
  share: bigint,
  directory: bigint,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly ListedInode[]> {
  const last = after === undefined ? undefined : foldName(after);
  const found: EntryRecord[] = [];
  const range = entriesRange(share, directory, "", last);
  for await (const { value } of view.range({ ...range, limit: limit + 1 })) {
    const entry = entryRecord.unpack(value);
    if (foldName(entry.name) === last) continue;
    if (found.length === limit) break;
    found.push(entry);
  }
  const stored = await view.getMany(found.map(({ inode }) => inodeKey(share, inode)));
  return found.flatMap((entry, i) => {
    const bytes = stored[i];
    return bytes === undefined ? [] : [{ entry, record: inodeRecord.unpack(bytes) }];
  });
}
