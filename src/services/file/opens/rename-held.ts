import { Refusal } from "../../../base/refusals.ts";
import { RIGHT } from "../../../concurrency/access-list.ts";
import type { Writer } from "../../../store/kv.ts";
import type { EntryRecord } from "../../../store/records/file.ts";
import type { Grants } from "../access.ts";
import { isReadOnly } from "../attributes.ts";
import { unlinkFile } from "../delete-file.ts";
import type { FileService } from "../file-service.ts";
import { checkName } from "../names.ts";
import { checkParent, type OpenedFile } from "../node-changes.ts";
import { findPlace, type Node, type Place, ROOT, readNode, touchDirectory } from "../nodes.ts";
import { checkTree, move } from "../rename.ts";
import type { AccessLists } from "../security/access-lists.ts";
import type { View } from "../versions.ts";
import { findHeld } from "./held.ts";
import type { Handle } from "./open-node.ts";
import { checkAdd, maximalRights } from "./open-rights.ts";

export interface RenameHeld {
  readonly path: readonly string[];
  readonly isReplacing: boolean;
  /** The client has set the change time by this handle. */
  readonly keepsChangedAt: boolean;
  /** Where access lists are enforced. */
  readonly lists?: AccessLists | undefined;
}

/** Renames what a handle has open, within its share. Resolves to the new path as it is spelled from now on. */
export async function renameHeld(
  files: FileService,
  handle: Handle,
  { path, isReplacing, keepsChangedAt, lists }: RenameHeld,
): Promise<readonly string[]> {
  if (handle.node === ROOT) throw new Refusal("AuthorizationPermissionMismatch");
  return files.changeAs(handle.id, async (write, grants) => {
    const held = await findHeld(write, handle);
    const { share, view, node } = held;
    const place = await findPlace(view, share.id, path);
    checkName(place.name);
    grants.ask(share, node, "rename").pass();
    await checkParent(view, grants, share, place.parent);
    const parent = { id: place.parent, record: await readNode(view, share.id, place.parent) };
    grants.ask(share, parent, "enter").pass();
    if (lists !== undefined)
      await checkLists(
        { read: write, view, share: share.id },
        lists,
        node,
        { entry: place.entry, isReplacing },
        parent,
      );
    if (node.record.kind === "directory") await checkMove(held, grants, place);
    await clearPlace(write, held, grants, place, isReplacing);
    const wishes = keepsChangedAt ? { changedAt: node.record.changedAt } : {};
    await move(write, view, share, node, place, { kind: node.record.kind, wishes });
    for (const directory of new Set([node.record.parent, place.parent]))
      await touchDirectory(write, share, directory);
    return [...place.path.slice(0, -1), place.name];
  });
}

/** Who renames must be allowed to put the node where it goes, and to delete what gives way to it. */
async function checkLists(
  at: { readonly read: Writer; readonly view: View; readonly share: bigint },
  lists: AccessLists,
  { id, record }: Node,
  { entry, isReplacing }: { readonly entry: EntryRecord | undefined; readonly isReplacing: boolean },
  parent: Node,
): Promise<void> {
  await checkAdd(at, lists, parent.record, record.kind);
  if (entry === undefined || entry.node === id || !isReplacing) return;
  const target = { id: entry.node, record: await readNode(at.view, at.share, entry.node) };
  if (((await maximalRights(at, lists, target)) & RIGHT.DELETE) === 0)
    throw new Refusal("AuthorizationPermissionMismatch");
}

/** To SMB clients everything that keeps a directory where it is looks the same. */
async function checkMove({ view, share, node }: OpenedFile, grants: Grants, place: Place): Promise<void> {
  try {
    await checkTree(view, grants, share, node, place);
  } catch (error) {
    const isKept =
      error instanceof Refusal && (error.code === "SharingViolation" || error.code === "InvalidInput");
    throw isKept ? new Refusal("AuthorizationPermissionMismatch") : error;
  }
}

/** Only a file that nobody has open gives way, and only to a file. */
async function clearPlace(
  write: Writer,
  { view, share, node }: OpenedFile,
  grants: Grants,
  { entry }: Place,
  isReplacing: boolean,
): Promise<void> {
  if (entry === undefined || entry.node === node.id) return;
  const target = { id: entry.node, record: await readNode(view, share.id, entry.node) };
  if (!isReplacing) {
    grants.ask(share, target, "look");
    throw new Refusal("ResourceAlreadyExists");
  }
  const isDirectory = entry.kind === "directory" || node.record.kind === "directory";
  if (isDirectory || isReadOnly(target.record)) throw new Refusal("AuthorizationPermissionMismatch");
  const grant = grants.ask(share, target, "delete");
  try {
    // Asks clients of other nodes that only keep the file open to close it.
    grant.pass();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal("AuthorizationPermissionMismatch") : error;
  }
  await unlinkFile(write, share, target);
}
