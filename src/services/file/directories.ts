import { Refusal } from "../../base/refusals.ts";
import { isReadOnly } from "./attributes.ts";
import { unlinkDirectory } from "./delete-file.ts";
import type { FileService } from "./file-service.ts";
import { applyChanges, checkParent, type InodeChanges } from "./inode-changes.ts";
import {
  findKind,
  findPlace,
  type Inode,
  inodeAt,
  isEmptyDirectory,
  lookUp,
  newInode,
  putEntry,
  putInode,
  ticksOf,
} from "./inodes.ts";
import type { PathRef } from "./names.ts";
import { openShare, readShare, refuseSnapshot } from "./shares.ts";
import { LiveView } from "./versions.ts";

/** Directories: create, read, delete. */
export interface CreateDirectory {
  readonly ref: PathRef;
  readonly requested: InodeChanges;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export function createDirectory(files: FileService, request: CreateDirectory): Promise<Inode> {
  const { ref, requested, metadata } = request;
  refuseSnapshot(ref);
  return files.change(async (write, admissions) => {
    const share = await readShare(write, ref);
    const view = new LiveView(write);
    if (ref.path.length === 0) throw new Refusal("ResourceAlreadyExists");
    const { parent, name, entry } = await findPlace(view, share.id, ref.path);
    await checkParent(view, admissions, share, parent);
    if (entry !== undefined) {
      admissions.ask(share, await inodeAt(view, share.id, entry.inode), "look");
      throw new Refusal("ResourceAlreadyExists");
    }
    const revision = write.revision();
    const record = newInode("directory", { parent, name, revision, now: ticksOf(write) });
    await applyChanges(write, { share, view }, record, requested);
    if (metadata !== undefined && Object.keys(metadata).length > 0) record.metadata = metadata;
    await putInode(write, share, revision, record, revision);
    await putEntry(write, share, parent, { name, inode: revision, kind: "directory" }, revision);
    return { id: revision, record };
  });
}

export function getDirectoryProperties(files: FileService, ref: PathRef): Promise<Inode> {
  return files.read(async (read, admissions) => {
    const { share, view } = await openShare(read, ref);
    const inode = await lookUp(view, share.id, ref.path, "directory");
    if (ref.snapshot === undefined) admissions.ask(share, inode, "look");
    return inode;
  });
}

/** Deletes an empty directory at once, or refuses. The root stays as long as its share. */
export async function deleteDirectory(files: FileService, ref: PathRef): Promise<void> {
  refuseSnapshot(ref);
  await files.change(async (write, admissions) => {
    const share = await readShare(write, ref);
    const view = new LiveView(write);
    if (ref.path.length === 0) throw new Refusal("CannotDeleteFileOrDirectory");
    const inode = await findKind(view, share.id, ref.path, "directory");
    const admission = admissions.ask(share, inode, "delete");
    if (!(await isEmptyDirectory(view, share.id, inode.id))) throw new Refusal("DirectoryNotEmpty");
    if (isReadOnly(inode.record)) throw new Refusal("ReadOnlyAttribute");
    admission.pass();
    await unlinkDirectory(write, share, inode);
  });
}
