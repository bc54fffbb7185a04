import { FILE_LIMITS } from "../../base/limits-file.ts";
import { Refusal } from "../../base/refusals.ts";
import { leaseAfterWrite } from "../../concurrency/lease.ts";
import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, NodeRecord, ShareRecord } from "../../store/records/file.ts";
import { keepContent, type TakenIn } from "../payload/content.ts";
import type { Grants } from "./access.ts";
import { ATTRIBUTE, settledAttributes } from "./attributes.ts";
import { removeEas } from "./extended-attributes.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { checkChange, checkParent, type NodeWishes, settleTime } from "./node-changes.ts";
import { findPlace, type Node, putEntry, putNode, readNode, ticksOf } from "./nodes.ts";
import { settlePermission } from "./permissions.ts";
import { discardContent, putRecord, rangeOf } from "./ranges.ts";
import { changeUsage, leaseOf, readShare, refuseSnapshot, withLease } from "./shares.ts";
import { removeStreams } from "./streams.ts";
import { LiveView } from "./versions.ts";

export interface CreateFile {
  readonly ref: PathRef;
  readonly size: number;
  readonly wishes: NodeWishes;
  readonly headers?: FileHeaders | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly leaseId?: string | undefined;
  /** False for those who may only make what is not there. */
  readonly mayOverwrite?: boolean;
  /** The attributes are those of a file that comes back: none is added. */
  readonly isRestored?: boolean;
  /** The first bytes, where the client sends them along. */
  readonly first?: TakenIn | undefined;
}

/**
 * Makes a file of zeros, or makes an existing one anew: its content, properties and metadata go, its id and its
 * lease stay.
 */
export async function createFile(files: FileService, request: CreateFile): Promise<Node> {
  const { ref, size, first } = request;
  refuseSnapshot(ref);
  if (size > FILE_LIMITS.fileBytesMax) throw new Refusal("OutOfRangeInput");
  try {
    return await files.change(async (write, grants) => {
      const read = readShare(write, ref);
      const share = read instanceof Promise ? await read : read;
      const node = await makeFile(write, grants, share, asNew(request));
      if (first === undefined || first.length === 0) return node;
      const kept = keepContent(files.parts.payloads, write, first.content);
      if (kept !== undefined) await kept;
      const { revision: since, content } = node.record;
      const range = rangeOf(first.content);
      putRecord({ write, payloads: files.parts.payloads, share, content, since }, 0, range);
      return node;
    });
  } finally {
    first?.release();
  }
}

/** A new file waits to be archived, as on Windows, whatever else is said of it. */
function asNew(request: CreateFile): CreateFile {
  const { wishes, isRestored } = request;
  if (isRestored === true || wishes.attributes === undefined) return request;
  return { ...request, wishes: { ...wishes, attributes: wishes.attributes | ATTRIBUTE.Archive } };
}

/** The empty file itself, in the caller's transaction. */
export async function makeFile(
  write: Writer,
  grants: Grants,
  share: ShareRecord,
  request: Omit<CreateFile, "first"> & { readonly ignoresReadOnly?: boolean | undefined },
): Promise<Node> {
  const { ref, size, wishes, headers, metadata, leaseId } = request;
  const view = new LiveView(write);
  if (ref.path.length === 0) throw new Refusal("ResourceTypeMismatch");
  // Nearly all of this is at hand, and is waited for only when it is not.
  const found = findPlace(view, share.id, ref.path);
  const { parent, name, entry } = found instanceof Promise ? await found : found;
  if (entry?.kind === "directory") throw new Refusal("ResourceTypeMismatch");
  const former =
    entry === undefined ? undefined : { id: entry.node, record: await readNode(view, share.id, entry.node) };
  if (former !== undefined) {
    if (request.mayOverwrite === false) throw new Refusal("AuthorizationPermissionMismatch");
    const ignoresReadOnly = request.ignoresReadOnly === true;
    checkChange(write, grants, share, former, leaseId, "overwrite", { ignoresReadOnly });
    discardContent(write, share, former.record.content);
    if (former.record.eaSize !== undefined) await removeEas(write, share, former.id);
    if (former.record.hasStreams === true) await removeStreams(write, share, former);
  } else {
    if (leaseId !== undefined) throw new Refusal("LeaseNotPresentWithFileOperation");
    const checked = checkParent(view, grants, share, parent);
    if (checked !== undefined) await checked;
  }
  const changed = changeUsage(write, share, size - (former?.record.size ?? 0));
  if (changed !== undefined) await changed;
  const revision = write.revision(former?.record.revision);
  const id = former?.id ?? revision;
  const now = ticksOf(write);
  const directory = readNode(view, share.id, parent);
  const inherited = (directory instanceof Promise ? await directory : directory).permission;
  const settled = settlePermission(write, share.id, wishes.permission, { own: undefined, inherited });
  const permission = settled instanceof Promise ? await settled : settled;
  // Field by field: a spread for each wish would be an object more for every file.
  const record: { -readonly [Name in keyof NodeRecord]: NodeRecord[Name] } = {
    kind: "file",
    parent,
    // A name keeps the spelling it was first given.
    name: former?.record.name ?? name,
    revision,
    attributes: settledAttributes("file", wishes.attributes ?? ATTRIBUTE.Archive),
    createdAt: settleTime(wishes.createdAt, now, now),
    writtenAt: settleTime(wishes.writtenAt, now, now),
    changedAt: settleTime(wishes.changedAt, now, now),
    size,
    content: revision,
    dataRevision: revision,
  };
  if (permission !== undefined) record.permission = permission;
  if (metadata !== undefined && Object.keys(metadata).length > 0) record.metadata = metadata;
  if (headers !== undefined) record.headers = headers;
  const lease = former === undefined ? undefined : leaseAfterWrite(leaseOf(former.record), write.now());
  const kept = lease === undefined ? record : withLease(record, lease);
  const put = putNode(write, share, id, kept, revision);
  if (put !== undefined) await put;
  if (former === undefined) {
    const entered = putEntry(write, share, parent, { name, node: id, kind: "file" }, revision);
    if (entered !== undefined) await entered;
  }
  return { id, record: kept };
}
