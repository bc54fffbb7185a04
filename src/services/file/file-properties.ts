import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import type { FileHeaders, InodeRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import {
  applyChanges,
  type FileChange,
  type InodeChanges,
  type LoadedInode,
  openForChange,
  putChanged,
} from "./inode-changes.ts";
import { type Inode, inodeAt, ticksOf } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import { clearBytes, discardContent } from "./ranges.ts";
import { changeUsage } from "./shares.ts";

export interface SetFileProperties extends FileChange {
  readonly requested: InodeChanges;
  /** All headers at once: one that is not named is cleared. Undefined: all stay. */
  readonly headers?: FileHeaders | undefined;
  readonly size?: number | undefined;
}

export function setFileProperties(files: FileService, request: SetFileProperties): Promise<Inode> {
  return setProperties(files, "file", request);
}

export function setDirectoryProperties(
  files: FileService,
  request: Pick<SetFileProperties, "ref" | "requested">,
): Promise<Inode> {
  return setProperties(files, "directory", request);
}

function setProperties(
  files: FileService,
  kind: InodeRecord["kind"],
  request: SetFileProperties,
): Promise<Inode> {
  const { requested, headers, size } = request;
  if (size !== undefined && size > FILE_LIMITS.fileBytesMax) throw new Refusal("OutOfRangeInput");
  return files.change(async (write, admissions) => {
    // A read-only file or directory accepts a change of its attributes and nothing else.
    const ignoresReadOnly = requested.attributes !== undefined;
    const opened = await openForChange(write, admissions, request, "write", { kind, ignoresReadOnly });
    const { share, view, inode } = opened;
    // Setting properties clears the state of a copy that has ended.
    const { copy: _, ...record } = inode.record;
    const isResized = size !== undefined && size !== record.size;
    const writtenAt = isResized ? ticksOf(write) : record.writtenAt;
    const changed = await applyChanges(write, opened, { ...record, writtenAt }, requested);
    if (headers !== undefined) changed.headers = headers;
    if (isResized) Object.assign(changed, await resize(files, write, opened, size));
    await putChanged(write, share, { id: inode.id, record }, changed);
    return inodeAt(view, share.id, inode.id);
  });
}

/** A file that shrinks loses what was beyond its end; one that grows reads zeros there. */
export async function resize(
  { parts: { payloads } }: FileService,
  write: Writer,
  { share, inode: { record } }: LoadedInode,
  size: number,
): Promise<Partial<InodeRecord>> {
  await changeUsage(write, share, size - record.size);
  const since = write.revision(record.dataRevision);
  if (size === 0) {
    discardContent(write, share, record.content);
    return { size, dataRevision: since, content: since };
  }
  if (size < record.size)
    await clearBytes({ write, payloads, share, content: record.content, since }, size, record.size);
  return { size, dataRevision: since };
}

type MetadataChange = FileChange & { readonly metadata: Readonly<Record<string, string>> };

export function setFileMetadata(files: FileService, request: MetadataChange): Promise<Revision> {
  return setMetadata(files, "file", request);
}

export function setDirectoryMetadata(files: FileService, request: MetadataChange): Promise<Revision> {
  return setMetadata(files, "directory", request);
}

function setMetadata(
  files: FileService,
  kind: InodeRecord["kind"],
  request: MetadataChange,
): Promise<Revision> {
  return files.change(async (write, admissions) => {
    const { share, inode } = await openForChange(write, admissions, request, "write", { kind });
    return putChanged(write, share, inode, { metadata: request.metadata });
  });
}
