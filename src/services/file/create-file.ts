import { Refusal } from "../../base/refusals.ts";
import { leaseAfterWrite } from "../../concurrency/lease.ts";
import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, ShareRecord } from "../../store/records/file.ts";
import { leaseOf, withLease } from "../lease-action.ts";
import { commitContent, type Ingested } from "../payload/content.ts";
import type { Admissions } from "./access.ts";
import { ATTRIBUTE } from "./attributes.ts";
import { removeEas } from "./extended-attributes.ts";
import type { FileService } from "./file-service.ts";
import { applyChanges, checkChange, checkParent, type InodeChanges } from "./inode-changes.ts";
import { findPlace, type Inode, inodeAt, newInode, putEntry, putInode, ticksOf } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { PathRef } from "./names.ts";
import { discardContent, putRecord, rangeOf } from "./ranges.ts";
import { changeUsage, readShare, refuseSnapshot } from "./shares.ts";
import { removeStreams } from "./streams.ts";
import { LiveView } from "./versions.ts";

export interface CreateFile {
  readonly ref: PathRef;
  readonly size: number;
  readonly requested: InodeChanges;
  readonly headers?: FileHeaders | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly leaseId?: string | undefined;
  /** False when the caller may create files only where there is none. */
  readonly mayOverwrite?: boolean;
  /** A restore: the file gets exactly these attributes, without the archive attribute. */
  readonly isRestored?: boolean;
  /** The first bytes, when the request carries them. */
  readonly first?: Ingested | undefined;
}

/** Creates a file of zeros. An existing file keeps only its id, its name and its lease. */
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
      const committed = commitContent(files.parts.payloads, write, first.content);
      if (committed !== undefined) await committed;
      const { revision: since, content } = inode.record;
      const range = rangeOf(first.content);
      putRecord({ write, payloads: files.parts.payloads, share, content, since }, 0, range);
      return inode;
    });
  } finally {
    first?.release();
  }
}

/** A new file has the archive attribute, as on Windows, whatever other attributes the request sets. */
function asNew(request: CreateFile): CreateFile {
  const { requested, isRestored } = request;
  if (isRestored === true || requested.attributes === undefined) return request;
  return { ...request, requested: { ...requested, attributes: requested.attributes | ATTRIBUTE.Archive } };
}

/** Creates the file in the caller's transaction, all zeros. */
export async function makeFile(
  write: Writer,
  admissions: Admissions,
  share: ShareRecord,
  request: Omit<CreateFile, "first"> & { readonly ignoresReadOnly?: boolean | undefined },
): Promise<Inode> {
  const { ref, size, requested, headers, metadata, leaseId } = request;
  const view = new LiveView(write);
  if (ref.path.length === 0) throw new Refusal("ResourceTypeMismatch");
  // Most of these values are there at once; awaiting one only when it is a promise saves a tick each.
  const found = findPlace(view, share.id, ref.path);
  const { parent, name, entry } = found instanceof Promise ? await found : found;
  if (entry?.kind === "directory") throw new Refusal("ResourceTypeMismatch");
  const former = entry === undefined ? undefined : await inodeAt(view, share.id, entry.inode);
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
  const charged = changeUsage(write, share, size - (former?.record.size ?? 0));
  if (charged !== undefined) await charged;
  const revision = write.revision(former?.record.revision);
  const id = former?.id ?? revision;
  // An existing file keeps the spelling of its name.
  const spelled = former?.record.name ?? name;
  const record = newInode("file", { parent, name: spelled, revision, now: ticksOf(write) });
  record.size = size;
  const changed = applyChanges(write, { share, view }, record, requested);
  if (changed instanceof Promise) await changed;
  if (metadata !== undefined && Object.keys(metadata).length > 0) record.metadata = metadata;
  if (headers !== undefined) record.headers = headers;
  const lease = former === undefined ? undefined : leaseAfterWrite(leaseOf(former.record), write.now());
  const created = lease === undefined ? record : withLease(record, lease);
  const put = putInode(write, share, id, created, revision);
  if (put !== undefined) await put;
  if (former === undefined) {
    const entered = putEntry(write, share, parent, { name, inode: id, kind: "file" }, revision);
    if (entered !== undefined) await entered;
  }
  return { id, record: created };
}
