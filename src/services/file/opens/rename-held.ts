import { Refusal } from "../../../base/refusals.ts";
import { RIGHT } from "../../../concurrency/acl.ts";
import type { Writer } from "../../../store/kv.ts";
import type { EntryRecord } from "../../../store/records/file.ts";
import type { Admissions } from "../access.ts";
import { isReadOnly } from "../attributes.ts";
import { unlinkFile } from "../delete-file.ts";
import type { FileService } from "../file-service.ts";
import { checkParent, type OpenedFile } from "../inode-changes.ts";
import { findPlace, type Inode, type Place, ROOT, readInode, touchDirectory } from "../inodes.ts";
import { checkName } from "../names.ts";
import { checkTree, move } from "../rename.ts";
import type { Acls } from "../security/acls.ts";
import type { View } from "../versions.ts";
import { findByHandle } from "./held.ts";
import type { Handle } from "./open-inode.ts";
import { checkAdd, maximalRights } from "./open-rights.ts";

export interface RenameByHandle {
  readonly path: readonly string[];
  readonly isReplacing: boolean;
  /** The client has set the change time by this handle. */
  readonly freezesChangedAt: boolean;
  /** Where access lists are enforced. */
  readonly lists?: Acls | undefined;
}

/** Renames what a handle has open, within its share. Resolves to the new path as it is spelled from now on. */
export async function renameByHandle(
  files: FileService,
  handle: Handle,
  { path, isReplacing, freezesChangedAt, lists }: RenameByHandle,
): Promise<readonly string[]> {
  if (handle.inode === ROOT) throw new Refusal("AuthorizationPermissionMismatch");
  return files.changeAs(handle.id, async (write, admissions) => {
    const held = await findByHandle(write, handle);
    const { share, view, inode } = held;
    const place = await findPlace(view, share.id, path);
    checkName(place.name);
    admissions.ask(share, inode, "rename").pass();
    await checkParent(view, admissions, share, place.parent);
    const parent = { id: place.parent, record: await readInode(view, share.id, place.parent) };
    admissions.ask(share, parent, "enter").pass();
    if (lists !== undefined)
      await checkLists(
        { read: write, view, share: share.id },
        lists,
        inode,
        { entry: place.entry, isReplacing },
        parent,
      );
    if (inode.record.kind === "directory") await checkMove(held, admissions, place);
    await clearPlace(write, held, admissions, place, isReplacing);
    const requested = freezesChangedAt ? { changedAt: inode.record.changedAt } : {};
    await move(write, view, share, inode, place, { kind: inode.record.kind, requested });
    for (const directory of new Set([inode.record.parent, place.parent]))
      await touchDirectory(write, share, directory);
    return [...place.path.slice(0, -1), place.name];
  });
}

/** Who renames must be allowed to put the node where it goes, and to delete what gives way to it. */
async function checkLists(
  at: { readonly read: Writer; readonly view: View; readonly share: bigint },
  lists: Acls,
  { id, record }: Inode,
  { entry, isReplacing }: { readonly entry: EntryRecord | undefined; readonly isReplacing: boolean },
  parent: Inode,
): Promise<void> {
  await checkAdd(at, lists, parent.record, record.kind);
  if (entry === undefined || entry.inode === id || !isReplacing) return;
  const target = { id: entry.inode, record: await readInode(at.view, at.share, entry.inode) };
  if (((await maximalRights(at, lists, target)) & RIGHT.DELETE) === 0)
    throw new Refusal("AuthorizationPermissionMismatch");
}

/** To SMB clients everything that keeps a directory where it is looks the same. */
async function checkMove(
  { view, share, inode }: OpenedFile,
  admissions: Admissions,
  place: Place,
): Promise<void> {
  try {
    await checkTree(view, admissions, share, inode, place);
  } catch (error) {
    const isKept =
      error instanceof Refusal && (error.code === "SharingViolation" || error.code === "InvalidInput");
    throw isKept ? new Refusal("AuthorizationPermissionMismatch") : error;
  }
}

/** Only a file that nobody has open gives way, and only to a file. */
async function clearPlace(
  write: Writer,
  { view, share, inode }: OpenedFile,
  admissions: Admissions,
  { entry }: Place,
  isReplacing: boolean,
): Promise<void> {
  if (entry === undefined || entry.inode === inode.id) return;
  const target = { id: entry.inode, record: await readInode(view, share.id, entry.inode) };
  if (!isReplacing) {
    admissions.ask(share, target, "look");
    throw new Refusal("ResourceAlreadyExists");
  }
  const isDirectory = entry.kind === "directory" || inode.record.kind === "directory";
  if (isDirectory || isReadOnly(target.record)) throw new Refusal("AuthorizationPermissionMismatch");
  const admission = admissions.ask(share, target, "delete");
  try {
    // Asks clients of other nodes that only keep the file open to close it.
    admission.pass();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal("AuthorizationPermissionMismatch") : error;
  }
  await unlinkFile(write, share, target);
}
