import { Refusal } from "../../base/refusals.ts";
import { checkFileWrite } from "../../concurrency/file-lease.ts";
import { leaseAfterWrite } from "../../concurrency/lease.ts";
import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, NodeRecord, ShareRecord } from "../../store/records/file.ts";
import type { Grants } from "./access.ts";
import { settledAttributes } from "./attributes.ts";
import { unlinkFile } from "./delete-file.ts";
import type { FileService } from "./file-service.ts";
import { isBelow } from "./list-handles.ts";
import type { PathRef } from "./names.ts";
import { checkChange, checkParent, type NodeWishes, settleTime } from "./node-changes.ts";
import {
  findAny,
  findPlace,
  type Node,
  type Place,
  putEntry,
  putNode,
  readNode,
  removeEntry,
  ticksOf,
} from "./nodes.ts";
import { settlePermission } from "./permissions.ts";
import { leaseOf, readShare, refuseSnapshot, throwIf, withLease } from "./shares.ts";
import { LiveView, type View } from "./versions.ts";

export interface Rename {
  readonly kind: NodeRecord["kind"];
  readonly source: PathRef;
  readonly destination: PathRef;
  readonly replacesExisting: boolean;
  readonly ignoresReadOnly: boolean;
  readonly sourceLeaseId?: string | undefined;
  readonly destinationLeaseId?: string | undefined;
  readonly wishes: NodeWishes;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly contentType?: string | undefined;
}

/**
 * Moves one entry from one directory to another. What a directory holds is keyed by its id and is not touched: a
 * directory with a million entries moves like an empty one.
 */
export function rename(files: FileService, request: Rename): Promise<Node> {
  const { source, destination, kind } = request;
  refuseSnapshot(source);
  refuseSnapshot(destination);
  if (source.account !== destination.account || source.share !== destination.share) {
    throw new Refusal("InvalidInput", { text: "A rename stays within one share." });
  }
  return files.change(async (write, grants) => {
    const share = await readShare(write, destination);
    const view = new LiveView(write);
    if (source.path.length === 0 || destination.path.length === 0) {
      throw new Refusal("InvalidInput", { text: "The root directory has no name to change." });
    }
    const node = await findAny(view, share.id, source.path);
    if (node.record.kind !== kind) throw new Refusal("ResourceTypeMismatch");
    const place = await findPlace(view, share.id, destination.path);
    const grant = grants.ask(share, node, "rename");
    await checkParent(view, grants, share, place.parent);
    if (kind === "file") {
      throwIf(checkFileWrite(leaseOf(node.record), request.sourceLeaseId, write.now()));
      if (node.record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    } else await checkTree(view, grants, share, node, place);
    grant.pass();
    await clearPlace(write, view, grants, share, node, place, request);
    return move(write, view, share, node, place, request);
  });
}

/** A directory cannot move below itself, and not while something below it is open. */
export async function checkTree(
  view: View,
  grants: Grants,
  share: ShareRecord,
  node: Node,
  place: Place,
): Promise<void> {
  if (await isBelow(view, share.id, place.parent, node.id)) {
    throw new Refusal("InvalidInput", { text: "A directory cannot be moved into itself." });
  }
  for (const open of grants.openNodes(share, node.id)) {
    const isOther = open !== node.id;
    if (isOther && (await isBelow(view, share.id, open, node.id))) throw new Refusal("SharingViolation");
  }
}

/** Makes room where the node goes. A new spelling of its own name is no other node. */
async function clearPlace(
  write: Writer,
  view: View,
  grants: Grants,
  share: ShareRecord,
  node: Node,
  { entry }: Place,
  request: Rename,
): Promise<void> {
  const { replacesExisting, ignoresReadOnly, destinationLeaseId } = request;
  if (entry === undefined || entry.node === node.id) {
    if (entry === undefined && destinationLeaseId !== undefined && request.kind === "file") {
      throw new Refusal("LeaseNotPresentWithFileOperation");
    }
    return;
  }
  const target = { id: entry.node, record: await readNode(view, share.id, entry.node) };
  if (!replacesExisting || entry.kind === "directory" || request.kind === "directory") {
    grants.ask(share, target, "look");
    throw new Refusal("ResourceAlreadyExists");
  }
  checkChange(write, grants, share, target, destinationLeaseId, "overwrite", { ignoresReadOnly });
  await unlinkFile(write, share, target);
}

export async function move(
  write: Writer,
  view: View,
  share: ShareRecord,
  { id, record }: Node,
  { parent, name }: Place,
  { kind, wishes, metadata, contentType }: Pick<Rename, "kind" | "wishes" | "metadata" | "contentType">,
): Promise<Node> {
  const revision = write.revision(record.revision);
  const now = ticksOf(write);
  const inherited = (await readNode(view, share.id, parent)).permission;
  const permission = await settlePermission(write, share.id, wishes.permission, {
    own: record.permission,
    inherited,
  });
  const headers: FileHeaders | undefined =
    contentType === undefined ? record.headers : { ...record.headers, contentType };
  const moved: NodeRecord = {
    ...record,
    parent,
    name,
    revision,
    attributes: settledAttributes(kind, wishes.attributes ?? record.attributes),
    createdAt: settleTime(wishes.createdAt, now, record.createdAt),
    writtenAt: settleTime(wishes.writtenAt, now, record.writtenAt),
    changedAt: settleTime(wishes.changedAt, now, now),
    ...(permission === undefined ? {} : { permission }),
    ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(headers === undefined ? {} : { headers }),
  };
  const kept = withLease(moved, leaseAfterWrite(leaseOf(record), write.now()));
  await removeEntry(write, share, record.parent, record.name);
  await putEntry(write, share, parent, { name, node: id, kind }, revision);
  await putNode(write, share, id, kept, revision);
  return { id, record: kept };
}
