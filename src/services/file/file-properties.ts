import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, InodeRecord } from "../../store/records/file.ts";
import { normalizedAttributes } from "./attributes.ts";
import type { FileService } from "./file-service.ts";
import {
  type FileChange,
  type InodeChanges,
  type OpenedFile,
  openForChange,
  putChanged,
  resolveTime,
} from "./inode-changes.ts";
import { type Inode, readInode, ticksOf } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import { resolvePermission } from "./permissions.ts";
import { clearBytes, discardContent } from "./ranges.ts";
import { changeUsage } from "./shares.ts";

export interface SetFileProperties extends FileChange {
  readonly requested: InodeChanges;
  /** All of them at once: a header that is not named is cleared. Undefined: they stay. */
  readonly headers?: FileHeaders | undefined;
  readonly size?: number | undefined;
}

export function setFileProperties(files: FileService, request: SetFileProperties): Promise<Inode> {
  const { requested, headers, size } = request;
  if (size !== undefined && size > FILE_LIMITS.fileBytesMax) throw new Refusal("OutOfRangeInput");
  return files.change(async (write, admissions) => {
    // Taking the attribute away is the one change a read-only file takes.
    const ignoresReadOnly = requested.attributes !== undefined;
    const opened = await openForChange(write, admissions, request, "write", { ignoresReadOnly });
    const { share, view, inode } = opened;
    const { record } = inode;
    const now = ticksOf(write);
    const inherited = (await readInode(view, share.id, record.parent)).permission;
    const permission = await resolvePermission(write, share.id, requested.permission, {
      own: record.permission,
      inherited,
    });
    const resized =
      size === undefined || size === record.size ? {} : await resize(files, write, opened, size);
    const changes: Partial<InodeRecord> = {
      attributes: normalizedAttributes("file", requested.attributes ?? record.attributes),
      createdAt: resolveTime(requested.createdAt, now, record.createdAt),
      writtenAt: resolveTime(requested.writtenAt, now, "size" in resized ? now : record.writtenAt),
      changedAt: resolveTime(requested.changedAt, now, now),
      ...(permission === undefined ? {} : { permission }),
      ...(headers === undefined ? {} : { headers }),
      ...resized,
    };
    // A copy that is over is forgotten: what the file is from here on, the client has said.
    const { copy: _, ...own } = record;
    await putChanged(write, share, { id: inode.id, record: own }, changes);
    return { id: inode.id, record: await readInode(view, share.id, inode.id) };
  });
}

/** A file that shrinks forgets what was beyond its end; one that grows reads zeros there. */
export async function resize(
  { parts: { payloads } }: FileService,
  write: Writer,
  { share, inode: { record } }: OpenedFile,
  size: number,
): Promise<Partial<InodeRecord>> {
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
  return files.change(async (write, admissions) => {
    const { share, inode } = await openForChange(write, admissions, request, "write");
    return putChanged(write, share, inode, { metadata: request.metadata });
  });
}
