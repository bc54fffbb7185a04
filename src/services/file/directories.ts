import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { InodeRecord } from "../../store/records/file.ts";
import { ATTRIBUTE, isReadOnly, normalizedAttributes } from "./attributes.ts";
import { unlinkDirectory } from "./delete-file.ts";
import type { FileService } from "./file-service.ts";
import { checkParent, type InodeChanges, putChanged, resolveTime } from "./inode-changes.ts";
import {
  findDirectory,
  findPlace,
  type Inode,
  isEmptyDirectory,
  lookUp,
  putEntry,
  putInode,
  readInode,
  ticksOf,
} from "./inodes.ts";
import type { PathRef } from "./names.ts";
import { resolvePermission } from "./permissions.ts";
import { openShare, readShare, refuseSnapshot } from "./shares.ts";
import { LiveView } from "./versions.ts";

/** Directories: create, read, change, delete. */
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
      admissions.ask(
        share,
        { id: entry.inode, record: await readInode(view, share.id, entry.inode) },
        "look",
      );
      throw new Refusal("ResourceAlreadyExists");
    }
    const revision = write.revision();
    const now = ticksOf(write);
    const inherited = (await readInode(view, share.id, parent)).permission;
    const permission = await resolvePermission(write, share.id, requested.permission, {
      own: undefined,
      inherited,
    });
    const record: InodeRecord = {
      kind: "directory",
      parent,
      name,
      revision,
      attributes: normalizedAttributes("directory", requested.attributes ?? ATTRIBUTE.Directory),
      createdAt: resolveTime(requested.createdAt, now, now),
      writtenAt: resolveTime(requested.writtenAt, now, now),
      changedAt: resolveTime(requested.changedAt, now, now),
      size: 0,
      content: revision,
      dataRevision: revision,
      ...(permission === undefined ? {} : { permission }),
      ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
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

/** Gone at once, or untouched. The root stays as long as its share. */
export async function deleteDirectory(files: FileService, ref: PathRef): Promise<void> {
  refuseSnapshot(ref);
  await files.change(async (write, admissions) => {
    const share = await readShare(write, ref);
    const view = new LiveView(write);
    if (ref.path.length === 0) throw new Refusal("CannotDeleteFileOrDirectory");
    const inode = await findDirectory(view, share.id, ref.path);
    const admission = admissions.ask(share, inode, "delete");
    if (!(await isEmptyDirectory(view, share.id, inode.id))) throw new Refusal("DirectoryNotEmpty");
    if (isReadOnly(inode.record)) throw new Refusal("ReadOnlyAttribute");
    admission.pass();
    await unlinkDirectory(write, share, inode);
  });
}

export function setDirectoryMetadata(
  files: FileService,
  ref: PathRef,
  metadata: Readonly<Record<string, string>>,
): Promise<Revision> {
  refuseSnapshot(ref);
  return files.change(async (write, admissions) => {
    const share = await readShare(write, ref);
    const inode = await findDirectory(new LiveView(write), share.id, ref.path);
    const admission = admissions.ask(share, inode, "write");
    if (isReadOnly(inode.record)) throw new Refusal("ReadOnlyAttribute");
    admission.pass();
    return putChanged(write, share, inode, { metadata });
  });
}

export function setDirectoryProperties(
  files: FileService,
  ref: PathRef,
  requested: InodeChanges,
): Promise<Inode> {
  refuseSnapshot(ref);
  return files.change(async (write, admissions) => {
    const share = await readShare(write, ref);
    const view = new LiveView(write);
    const inode = await findDirectory(view, share.id, ref.path);
    const admission = admissions.ask(share, inode, "write");
    // Taking the attribute away is the one change a read-only directory takes.
    if (isReadOnly(inode.record) && requested.attributes === undefined)
      throw new Refusal("ReadOnlyAttribute");
    admission.pass();
    const { record } = inode;
    const now = ticksOf(write);
    const inherited = (await readInode(view, share.id, record.parent)).permission;
    const permission = await resolvePermission(write, share.id, requested.permission, {
      own: record.permission,
      inherited,
    });
    const changes: Partial<InodeRecord> = {
      attributes: normalizedAttributes("directory", requested.attributes ?? record.attributes),
      createdAt: resolveTime(requested.createdAt, now, record.createdAt),
      writtenAt: resolveTime(requested.writtenAt, now, record.writtenAt),
      changedAt: resolveTime(requested.changedAt, now, now),
      ...(permission === undefined ? {} : { permission }),
    };
    await putChanged(write, share, inode, changes);
    return { id: inode.id, record: await readInode(view, share.id, inode.id) };
  });
}
