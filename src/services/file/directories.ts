import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { NodeRecord } from "../../store/records/file.ts";
import { ATTRIBUTE, isReadOnly, settledAttributes } from "./attributes.ts";
import { unlinkDirectory } from "./delete-file.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { checkParent, type NodeWishes, putChanged, settleTime } from "./node-changes.ts";
import {
  findDirectory,
  findPlace,
  isEmptyDirectory,
  lookUp,
  type Node,
  putEntry,
  putNode,
  readNode,
  ticksOf,
} from "./nodes.ts";
import { settlePermission } from "./permissions.ts";
import { openShare, readShare, refuseSnapshot } from "./shares.ts";
import { LiveView } from "./versions.ts";

/** Directories: create, read, change, delete. */
export interface CreateDirectory {
  readonly ref: PathRef;
  readonly wishes: NodeWishes;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export function createDirectory(files: FileService, request: CreateDirectory): Promise<Node> {
  const { ref, wishes, metadata } = request;
  refuseSnapshot(ref);
  return files.change(async (write, grants) => {
    const share = await readShare(write, ref);
    const view = new LiveView(write);
    if (ref.path.length === 0) throw new Refusal("ResourceAlreadyExists");
    const { parent, name, entry } = await findPlace(view, share.id, ref.path);
    await checkParent(view, grants, share, parent);
    if (entry !== undefined) {
      grants.ask(share, { id: entry.node, record: await readNode(view, share.id, entry.node) }, "look");
      throw new Refusal("ResourceAlreadyExists");
    }
    const revision = write.revision();
    const now = ticksOf(write);
    const inherited = (await readNode(view, share.id, parent)).permission;
    const permission = await settlePermission(write, share.id, wishes.permission, {
      own: undefined,
      inherited,
    });
    const record: NodeRecord = {
      kind: "directory",
      parent,
      name,
      revision,
      attributes: settledAttributes("directory", wishes.attributes ?? ATTRIBUTE.Directory),
      createdAt: settleTime(wishes.createdAt, now, now),
      writtenAt: settleTime(wishes.writtenAt, now, now),
      changedAt: settleTime(wishes.changedAt, now, now),
      size: 0,
      content: revision,
      dataRevision: revision,
      ...(permission === undefined ? {} : { permission }),
      ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
    await putNode(write, share, revision, record, revision);
    await putEntry(write, share, parent, { name, node: revision, kind: "directory" }, revision);
    return { id: revision, record };
  });
}

export function getDirectoryProperties(files: FileService, ref: PathRef): Promise<Node> {
  return files.read(async (read, grants) => {
    const { share, view } = await openShare(read, ref);
    const node = await lookUp(view, share.id, ref.path, "directory");
    if (ref.snapshot === undefined) grants.ask(share, node, "look");
    return node;
  });
}

/** Gone at once, or untouched. The root stays as long as its share. */
export async function deleteDirectory(files: FileService, ref: PathRef): Promise<void> {
  refuseSnapshot(ref);
  await files.change(async (write, grants) => {
    const share = await readShare(write, ref);
    const view = new LiveView(write);
    if (ref.path.length === 0) throw new Refusal("CannotDeleteFileOrDirectory");
    const node = await findDirectory(view, share.id, ref.path);
    const grant = grants.ask(share, node, "delete");
    if (!(await isEmptyDirectory(view, share.id, node.id))) throw new Refusal("DirectoryNotEmpty");
    if (isReadOnly(node.record)) throw new Refusal("ReadOnlyAttribute");
    grant.pass();
    await unlinkDirectory(write, share, node);
  });
}

export function setDirectoryMetadata(
  files: FileService,
  ref: PathRef,
  metadata: Readonly<Record<string, string>>,
): Promise<Revision> {
  refuseSnapshot(ref);
  return files.change(async (write, grants) => {
    const share = await readShare(write, ref);
    const node = await findDirectory(new LiveView(write), share.id, ref.path);
    const grant = grants.ask(share, node, "write");
    if (isReadOnly(node.record)) throw new Refusal("ReadOnlyAttribute");
    grant.pass();
    return putChanged(write, share, node, { metadata });
  });
}

export function setDirectoryProperties(files: FileService, ref: PathRef, wishes: NodeWishes): Promise<Node> {
  refuseSnapshot(ref);
  return files.change(async (write, grants) => {
    const share = await readShare(write, ref);
    const view = new LiveView(write);
    const node = await findDirectory(view, share.id, ref.path);
    const grant = grants.ask(share, node, "write");
    // Taking the attribute away is the one change a read-only directory takes.
    if (isReadOnly(node.record) && wishes.attributes === undefined) throw new Refusal("ReadOnlyAttribute");
    grant.pass();
    const { record } = node;
    const now = ticksOf(write);
    const inherited = (await readNode(view, share.id, record.parent)).permission;
    const permission = await settlePermission(write, share.id, wishes.permission, {
      own: record.permission,
      inherited,
    });
    const changes: Partial<NodeRecord> = {
      attributes: settledAttributes("directory", wishes.attributes ?? record.attributes),
      createdAt: settleTime(wishes.createdAt, now, record.createdAt),
      writtenAt: settleTime(wishes.writtenAt, now, record.writtenAt),
      changedAt: settleTime(wishes.changedAt, now, now),
      ...(permission === undefined ? {} : { permission }),
    };
    await putChanged(write, share, node, changes);
    return { id: node.id, record: await readNode(view, share.id, node.id) };
  });
}
