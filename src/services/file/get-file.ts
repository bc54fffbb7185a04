import type { Instant } from "../../base/clock.ts";
import { checkFileRead } from "../../concurrency/file-lease.ts";
import type { RestUse } from "../../concurrency/share-mode.ts";
import type { Reader } from "../../store/kv.ts";
import type { InodeRecord } from "../../store/records/file.ts";
import type { Admissions } from "./access.ts";
import type { FileService } from "./file-service.ts";
import { findInode, type Inode, lookUp } from "./inodes.ts";
import type { PathRef } from "./names.ts";
import {
  type ContentRef,
  FileContent,
  type NextWindow,
  type OpenContent,
  openWindow,
} from "./read-content.ts";
import { leaseOf, type OpenShare, openShare, throwIf } from "./shares.ts";

export interface ReadFile {
  readonly ref: PathRef;
  readonly leaseId?: string | undefined;
}

export interface FileState {
  readonly inode: Inode;
  readonly now: Instant;
}

/** A file as one snapshot of the store has it, checked for a read. */
export async function openForRead(
  read: Reader,
  admissions: Admissions,
  { ref, leaseId }: ReadFile,
  use: RestUse,
  range?: (record: InodeRecord) => { from: number; to: number },
): Promise<OpenShare & FileState> {
  const opened = await openShare(read, ref);
  const inode = await lookUp(opened.view, opened.share.id, ref.path, "file");
  // Nobody has anything open in the past.
  const wanted = range?.(inode.record);
  const bytes =
    wanted === undefined
      ? undefined
      : { offset: BigInt(wanted.from), length: BigInt(wanted.to - wanted.from) };
  const admission = ref.snapshot === undefined ? admissions.ask(opened.share, inode, use, bytes) : undefined;
  throwIf(checkFileRead(leaseOf(inode.record), leaseId, read.now()));
  admission?.pass();
  return { share: opened.share, view: opened.view, inode, now: read.now() };
}

export function getFileProperties(files: FileService, request: ReadFile): Promise<FileState> {
  return files.read(async (read, admissions) => {
    const { inode, now } = await openForRead(read, admissions, request, "look");
    return { inode, now };
  });
}

export interface GetFile extends ReadFile {
  /** Which bytes, once the size is known; throws when there are none. */
  readonly part: (size: number) => { readonly from: number; readonly to: number };
}

export interface FoundFile extends FileState {
  readonly content: OpenContent;
}

/** Opens a part of a file. The caller streams it and closes it. */
export function getFile(files: FileService, request: GetFile): Promise<FoundFile> {
  const { payloads } = files.parts;
  return files.read(async (read, admissions) => {
    const opened = await openForRead(read, admissions, request, "read", ({ size }) => request.part(size));
    const { share, view, inode, now } = opened;
    const { from, to } = request.part(inode.record.size);
    const ref = { share: share.id, content: inode.record.content, from, to };
    const first = await openWindow(read, view, payloads, ref);
    return { inode, now, content: new FileContent(ref, first, nextWindow(files, request, inode, ref)) };
  });
}

/** A later part of the same state of the file; undefined when somebody has written to it since. */
function nextWindow(files: FileService, request: ReadFile, inode: Inode, ref: ContentRef): NextWindow {
  return (from) =>
    files.parts.store.read(async (read) => {
      const { view } = await openShare(read, request.ref);
      const record = await findInode(view, ref.share, inode.id);
      if (record?.dataRevision !== inode.record.dataRevision) return undefined;
      return openWindow(read, view, files.parts.payloads, {
        share: ref.share,
        content: ref.content,
        from,
        to: ref.to,
      });
    });
}
