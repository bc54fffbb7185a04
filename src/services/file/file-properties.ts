import { FILE_LIMITS } from "../../base/limits-file.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, NodeRecord } from "../../store/records/file.ts";
import { settledAttributes } from "./attributes.ts";
import type { FileService } from "./file-service.ts";
import {
  type FileChange,
  type NodeWishes,
  type OpenedFile,
  openForChange,
  putChanged,
  settleTime,
} from "./node-changes.ts";
import { type Node, readNode, ticksOf } from "./nodes.ts";
import { settlePermission } from "./permissions.ts";
import { clearBytes, discardContent } from "./ranges.ts";
import { changeUsage } from "./shares.ts";

export interface SetFileProperties extends FileChange {
  readonly wishes: NodeWishes;
  /** All of them at once: a header that is not named is cleared. Undefined: they stay. */
  readonly headers?: FileHeaders | undefined;
  readonly size?: number | undefined;
}

export function setFileProperties(files: FileService, request: SetFileProperties): Promise<Node> {
  const { wishes, headers, size } = request;
  if (size !== undefined && size > FILE_LIMITS.fileBytesMax) throw new Refusal("OutOfRangeInput");
  return files.change(async (write, grants) => {
    // Taking the attribute away is the one change a read-only file takes.
    const ignoresReadOnly = wishes.attributes !== undefined;
    const opened = await openForChange(write, grants, request, "write", { ignoresReadOnly });
    const { share, view, node } = opened;
    const { record } = node;
    const now = ticksOf(write);
    const inherited = (await readNode(view, share.id, record.parent)).permission;
    const permission = await settlePermission(write, share.id, wishes.permission, {
      own: record.permission,
      inherited,
    });
    const resized =
      size === undefined || size === record.size ? {} : await resize(files, write, opened, size);
    const changes: Partial<NodeRecord> = {
      attributes: settledAttributes("file", wishes.attributes ?? record.attributes),
      createdAt: settleTime(wishes.createdAt, now, record.createdAt),
      writtenAt: settleTime(wishes.writtenAt, now, "size" in resized ? now : record.writtenAt),
      changedAt: settleTime(wishes.changedAt, now, now),
      ...(permission === undefined ? {} : { permission }),
      ...(headers === undefined ? {} : { headers }),
      ...resized,
    };
    // A copy that is over is forgotten: what the file is from here on, the client has said.
    const { copy: _, ...own } = record;
    await putChanged(write, share, { id: node.id, record: own }, changes);
    return { id: node.id, record: await readNode(view, share.id, node.id) };
  });
}

/** A file that shrinks forgets what was beyond its end; one that grows reads zeros there. */
export async function resize(
  { parts: { payloads } }: FileService,
  write: Writer,
  { share, node: { record } }: OpenedFile,
  size: number,
): Promise<Partial<NodeRecord>> {
  await changeUsage(write, share, size - record.size);
  const since = write.revision(record.dataRevision);
  if (size === 0) {
    // However much there was, it is taken apart in the background.
    discardContent(write, share, record.content);
    return { size, dataRevision: since, content: since };
  }
  if (size < record.size) {
    await clearBytes({ write, payloads, share, content: record.content, since }, size, record.size);
  }
  return { size, dataRevision: since };
}

export function setFileMetadata(
  files: FileService,
  request: FileChange & { readonly metadata: Readonly<Record<string, string>> },
): Promise<Revision> {
  return files.change(async (write, grants) => {
    const { share, node } = await openForChange(write, grants, request, "write");
    return putChanged(write, share, node, { metadata: request.metadata });
  });
}
