import { Refusal, throwIf } from "../../base/refusals.ts";
import { checkFileWrite } from "../../concurrency/file-lease.ts";
import { leaseAfterWrite } from "../../concurrency/lease.ts";
import type { Writer } from "../../store/kv.ts";
import type { InodeRecord, ShareRecord } from "../../store/records/file.ts";
import { leaseOf, withLease } from "../lease-action.ts";
import type { Admissions } from "./access.ts";
import { unlinkFile } from "./delete-file.ts";
import type { FileService } from "./file-service.ts";
import { applyChanges, checkChange, checkParent, type InodeChanges } from "./inode-changes.ts";
import {
  findKind,
  findPlace,
  type Inode,
  inodeAt,
  type Place,
  putEntry,
  putInode,
  removeEntry,
} from "./inodes.ts";
import { isBelow } from "./list-handles.ts";
import type { PathRef } from "./names.ts";
import { readShare, refuseSnapshot } from "./shares.ts";
import { LiveView, type View } from "./versions.ts";

export interface Rename {
  readonly kind: InodeRecord["kind"];
  readonly source: PathRef;
  readonly destination: PathRef;
  readonly replacesExisting: boolean;
  readonly ignoresReadOnly: boolean;
  readonly sourceLeaseId?: string | undefined;
  readonly destinationLeaseId?: string | undefined;
  readonly requested: InodeChanges;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly contentType?: string | undefined;
}

/**
 * Moves one entry from one directory to another. The entries of a directory are keyed by its id and stay as
 * they are, so a directory with a million entries moves like an empty one.
 */
export function rename(files: FileService, request: Rename): Promise<Inode> {
  const { source, destination, kind } = request;
  refuseSnapshot(source);
  refuseSnapshot(destination);
  if (source.account !== destination.account || source.share !== destination.share) {
    throw new Refusal("InvalidInput", { text: "A rename stays within one share." });
  }
  return files.change(async (write, admissions) => {
    const share = await readShare(write, destination);
    const view = new LiveView(write);
    if (source.path.length === 0 || destination.path.length === 0) {
      throw new Refusal("InvalidInput", { text: "The root directory has no name to change." });
    }
    const inode = await findKind(view, share.id, source.path, kind);
    const place = await findPlace(view, share.id, destination.path);
    const admission = admissions.ask(share, inode, "rename");
    await checkParent(view, admissions, share, place.parent);
    if (kind === "file") {
      throwIf(checkFileWrite(leaseOf(inode.record), request.sourceLeaseId, write.now()));
      if (inode.record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    } else await checkTree(view, admissions, share, inode, place);
    admission.pass();
    await clearPlace(write, view, admissions, share, inode, place, request);
    return move(write, view, share, inode, place, request);
  });
}

/** A directory cannot move below itself, or while something below it is open. */
export async function checkTree(
  view: View,
  admissions: Admissions,
  share: ShareRecord,
  inode: Inode,
  place: Place,
): Promise<void> {
  if (await isBelow(view, share.id, place.parent, inode.id)) {
    throw new Refusal("InvalidInput", { text: "A directory cannot be moved into itself." });
  }
  for (const open of admissions.openInodes(share, inode.id))
    if (open !== inode.id && (await isBelow(view, share.id, open, inode.id)))
      throw new Refusal("SharingViolation");
}

/**
 * Deletes the file that the rename of a file or a directory replaces. A new spelling of the same name
 * replaces nothing.
 */
async function clearPlace(
  write: Writer,
  view: View,
  admissions: Admissions,
  share: ShareRecord,
  inode: Inode,
  { entry }: Place,
  request: Rename,
): Promise<void> {
  const { replacesExisting, ignoresReadOnly, destinationLeaseId } = request;
  if (entry === undefined || entry.inode === inode.id) {
    if (entry === undefined && destinationLeaseId !== undefined) {
      throw new Refusal("LeaseNotPresentWithFileOperation");
    }
    return;
  }
  const target = await inodeAt(view, share.id, entry.inode);
  if (!replacesExisting || entry.kind === "directory") {
    admissions.ask(share, target, "look");
    throw new Refusal("ResourceAlreadyExists");
  }
  checkChange(write, admissions, share, target, destinationLeaseId, "overwrite", { ignoresReadOnly });
  await unlinkFile(write, share, target);
}

export async function move(
  write: Writer,
  view: View,
  share: ShareRecord,
  { id, record }: Inode,
  { parent, name }: Place,
  { kind, requested, metadata, contentType }: Pick<Rename, "kind" | "requested" | "metadata" | "contentType">,
): Promise<Inode> {
  const revision = write.revision(record.revision);
  const moved = await applyChanges(write, { share, view }, { ...record, parent, name, revision }, requested);
  if (metadata !== undefined && Object.keys(metadata).length > 0) moved.metadata = metadata;
  if (contentType !== undefined) moved.headers = { ...record.headers, contentType };
  const changed = withLease(moved, leaseAfterWrite(leaseOf(record), write.now()));
  await removeEntry(write, share, record.parent, record.name);
  await putEntry(write, share, parent, { name, inode: id, kind }, revision);
  await putInode(write, share, id, changed, revision);
  return { id, record: changed };
}
