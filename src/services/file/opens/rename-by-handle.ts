import { Refusal } from "../../../base/refusals.ts";
import { RIGHT } from "../../../concurrency/acl.ts";
import type { Writer } from "../../../store/kv.ts";
import type { EntryRecord } from "../../../store/records/file.ts";
import type { Admissions } from "../access.ts";
import { isReadOnly } from "../attributes.ts";
import { unlinkFile } from "../delete-file.ts";
import type { FileService } from "../file-service.ts";
import { checkParent, type LoadedInode } from "../inode-changes.ts";
import {
  findPlace,
  type Inode,
  type Place,
  putInode,
  ROOT,
  readInode,
  ticksOf,
  touchDirectory,
} from "../inodes.ts";
import { checkName } from "../names.ts";
import { checkTree, move } from "../rename.ts";
import type { Acls } from "../security/acls.ts";
import { findStream, putBase, putStreamEntry, removeStream, removeStreamEntry } from "../streams.ts";
import type { View } from "../versions.ts";
import { findBaseByHandle, findByHandle } from "./find-by-handle.ts";
import type { HandleId } from "./open-request.ts";
import { checkAdd, maximalRights } from "./open-rights.ts";

export interface RenameByHandle {
  readonly path: readonly string[];
  readonly isReplacing: boolean;
}

/** Renames within the share. Resolves to the new path, with each name as the share spells it. */
export async function renameByHandle(
  files: FileService,
  handle: HandleId,
  { path, isReplacing }: RenameByHandle,
  { acls, isChangedAtFrozen }: { readonly acls: Acls | undefined; readonly isChangedAtFrozen: boolean },
): Promise<readonly string[]> {
  if (handle.inode === ROOT) throw new Refusal("AuthorizationPermissionMismatch");
  return files.changeAs(handle.id, async (write, admissions) => {
    const loaded = await findByHandle(write, handle);
    const { share, view, inode } = loaded;
    const place = await findPlace(view, share.id, path);
    checkName(place.name);
    admissions.ask(share, inode, "rename").pass();
    await checkParent(view, admissions, share, place.parent);
    const parent = { id: place.parent, record: await readInode(view, share.id, place.parent) };
    admissions.ask(share, parent, "enter").pass();
    if (acls !== undefined) {
      const at = { read: write, view, share: share.id };
      await checkAcls(at, acls, inode, { entry: place.entry, isReplacing }, parent);
    }
    if (inode.record.kind === "directory") await checkMove(loaded, admissions, place);
    await clearPlace(write, loaded, admissions, place, isReplacing);
    const requested = isChangedAtFrozen ? { changedAt: inode.record.changedAt } : {};
    await move(write, view, share, inode, place, { kind: inode.record.kind, requested });
    for (const directory of new Set([inode.record.parent, place.parent]))
      await touchDirectory(write, share, directory);
    return [...place.path.slice(0, -1), place.name];
  });
}

/** A rename needs the right to add to the new directory, and to delete what it replaces. */
async function checkAcls(
  at: { readonly read: Writer; readonly view: View; readonly share: bigint },
  acls: Acls,
  { id, record }: Inode,
  { entry, isReplacing }: { readonly entry: EntryRecord | undefined; readonly isReplacing: boolean },
  parent: Inode,
): Promise<void> {
  await checkAdd(at, acls, parent.record, record.kind);
  if (entry === undefined || entry.inode === id || !isReplacing) return;
  const target = { id: entry.inode, record: await readInode(at.view, at.share, entry.inode) };
  if (((await maximalRights(at, acls, target)) & RIGHT.DELETE) === 0)
    throw new Refusal("AuthorizationPermissionMismatch");
}

/** SMB clients get one status for everything that prevents a directory from moving. */
async function checkMove(
  { view, share, inode }: LoadedInode,
  admissions: Admissions,
  place: Place,
): Promise<void> {
  try {
    await checkTree(view, admissions, share, inode, place);
  } catch (error) {
    const isPrevented =
      error instanceof Refusal && (error.code === "SharingViolation" || error.code === "InvalidInput");
    throw isPrevented ? new Refusal("AuthorizationPermissionMismatch") : error;
  }
}

/** Only a file that is not open is replaced, and only by a file. */
async function clearPlace(
  write: Writer,
  { view, share, inode }: LoadedInode,
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
    // Breaks the caches of clients of other processes, which then close a handle that only a cache has open.
    admission.pass();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal("AuthorizationPermissionMismatch") : error;
  }
  await unlinkFile(write, share, target);
}

export interface RenameStream {
  readonly name: string;
  readonly isReplacing: boolean;
}

/** Renames the named stream that a handle has open, within its file. */
export async function renameStreamByHandle(
  files: FileService,
  handle: HandleId,
  { name, isReplacing }: RenameStream,
): Promise<void> {
  await files.changeAs(handle.id, async (write, admissions) => {
    const { share, view, inode } = await findByHandle(write, handle);
    const { inode: base } = await findBaseByHandle(write, handle);
    const target = await findStream(view, share.id, base, name);
    if (target !== undefined && target.id !== inode.id) {
      if (!isReplacing) throw new Refusal("ResourceAlreadyExists");
      // Only a stream that is not open is replaced.
      admissions.ask(share, target, "delete").pass();
      await removeStream(write, share, base.id, target);
    }
    await removeStreamEntry(write, share, base.id, inode.record.name);
    await putStreamEntry(write, share, base.id, { name, inode: inode.id, kind: "file" });
    const revision = write.revision(inode.record.revision);
    await putInode(write, share, inode.id, { ...inode.record, name, revision }, revision);
    await putBase(write, share, base, { changedAt: ticksOf(write) });
  });
  files.contentLeft.ring();
}
