import { Refusal } from "../../base/refusals.ts";
import { leaseAfterWrite } from "../../concurrency/lease.ts";
import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, InodeRecord, ShareRecord } from "../../store/records/file.ts";
import { commitContent, type Ingested } from "../payload/content.ts";
import type { Admissions } from "./access.ts";
import { ATTRIBUTE, normalizedAttributes } from "./attributes.ts";
import { removeEas } from "./extended-attributes.ts";
import type { FileService } from "./file-service.ts";
import { checkChange, checkParent, type InodeChanges, resolveTime } from "./inode-changes.ts";
import { findPlace, type Inode, putEntry, putInode, readInode, ticksOf } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { PathRef } from "./names.ts";
import { resolvePermission } from "./permissions.ts";
import { discardContent, putRecord, rangeOf } from "./ranges.ts";
import { changeUsage, leaseOf, readShare, refuseSnapshot, withLease } from "./shares.ts";
import { removeStreams } from "./streams.ts";
import { LiveView } from "./versions.ts";

export interface CreateFile {
  readonly ref: PathRef;
  readonly size: number;
  readonly requested: InodeChanges;
  readonly headers?: FileHeaders | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly leaseId?: string | undefined;
  /** False for those who may only make what is not there. */
  readonly mayOverwrite?: boolean;
  /** The attributes are those of a file that comes back: none is added. */
  readonly isRestored?: boolean;
  /** The first bytes, where the client sends them along. */
  readonly first?: Ingested | undefined;
}

/**
 * Makes a file of zeros, or makes an existing one anew: its content, properties and metadata go, its id and its
 * lease stay.
 */
export async function createFile(files: FileService, request: CreateFile): Promise<Inode> {
  const { ref, size, first } = request;
  refuseSnapshot(ref);
  if (size > FILE_LIMITS.fileBytesMax) throw new Refusal("OutOfRangeInput");
  try {
    return await files.change(async (write, admissions) => {
      const read = readShare(write, ref);
      const share = read instanceof Promise ? await read : read;
      const inode = await makeFile(write, admissions, share, asNew(request));
      if (first === undefined || first.length === 0) return inode;
      const kept = commitContent(files.parts.payloads, write, first.content);
      if (kept !== undefined) await kept;
      const { revision: since, content } = inode.record;
      const range = rangeOf(first.content);
      putRecord({ write, payloads: files.parts.payloads, share, content, since }, 0, range);
      return inode;
    });
  } finally {
    first?.release();
  }
}

/** A new file waits to be archived, as on Windows, whatever else is said of it. */
function asNew(request: CreateFile): CreateFile {
  const { requested, isRestored } = request;
  if (isRestored === true || requested.attributes === undefined) return request;
  return { ...request, requested: { ...requested, attributes: requested.attributes | ATTRIBUTE.Archive } };
}

/** The empty file itself, in the caller's transaction. */
export async function makeFile(
  write: Writer,
  admissions: Admissions,
  share: ShareRecord,
  request: Omit<CreateFile, "first"> & { readonly ignoresReadOnly?: boolean | undefined },
): Promise<Inode> {
  const { ref, size, requested, headers, metadata, leaseId } = request;
  const view = new LiveView(write);
  if (ref.path.length === 0) throw new Refusal("ResourceTypeMismatch");
  // Nearly all of this is at hand, and is waited for only when it is not.
  const found = findPlace(view, share.id, ref.path);
  const { parent, name, entry } = found instanceof Promise ? await found : found;
  if (entry?.kind === "directory") throw new Refusal("ResourceTypeMismatch");
  const former =
    entry === undefined
      ? undefined
      : { id: entry.inode, record: await readInode(view, share.id, entry.inode) };
  if (former !== undefined) {
    if (request.mayOverwrite === false) throw new Refusal("AuthorizationPermissionMismatch");
    const ignoresReadOnly = request.ignoresReadOnly === true;
    checkChange(write, admissions, share, former, leaseId, "overwrite", { ignoresReadOnly });
    discardContent(write, share, former.record.content);
    if (former.record.eaSize !== undefined) await removeEas(write, share, former.id);
    if (former.record.hasStreams === true) await removeStreams(write, share, former);
  } else {
    if (leaseId !== undefined) throw new Refusal("LeaseNotPresentWithFileOperation");
    const checked = checkParent(view, admissions, share, parent);
    if (checked !== undefined) await checked;
  }
  const changed = changeUsage(write, share, size - (former?.record.size ?? 0));
  if (changed !== undefined) await changed;
  const revision = write.revision(former?.record.revision);
  const id = former?.id ?? revision;
  const now = ticksOf(write);
  const directory = readInode(view, share.id, parent);
  const inherited = (directory instanceof Promise ? await directory : directory).permission;
  const settled = resolvePermission(write, share.id, requested.permission, { own: undefined, inherited });
  const permission = settled instanceof Promise ? await settled : settled;
  // Field by field: a spread for each wish would be an object more for every file.
  const record: { -readonly [Name in keyof InodeRecord]: InodeRecord[Name] } = {
    kind: "file",
    parent,
    // A name keeps the spelling it was first given.
    name: former?.record.name ?? name,
    revision,
    attributes: normalizedAttributes("file", requested.attributes ?? ATTRIBUTE.Archive),
    createdAt: resolveTime(requested.createdAt, now, now),
    writtenAt: resolveTime(requested.writtenAt, now, now),
    changedAt: resolveTime(requested.changedAt, now, now),
    size,
    content: revision,
    dataRevision: revision,
  };
  if (permission !== undefined) record.permission = permission;
  if (metadata !== undefined && Object.keys(metadata).length > 0) record.metadata = metadata;
  if (headers !== undefined) record.headers = headers;
  const lease = former === undefined ? undefined : leaseAfterWrite(leaseOf(former.record), write.now());
  const kept = lease === undefined ? record : withLease(record, lease);
  const put = putInode(write, share, id, kept, revision);
  if (put !== undefined) await put;
  if (former === undefined) {
    const entered = putEntry(write, share, parent, { name, inode: id, kind: "file" }, revision);
    if (entered !== undefined) await entered;
  }
  return { id, record: kept };
}
