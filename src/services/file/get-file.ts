import type { Instant } from "../../base/clock.ts";
import { throwIf } from "../../base/refusals.ts";
import { checkFileRead } from "../../concurrency/file-lease.ts";
import type { RestUse } from "../../concurrency/share-mode.ts";
import type { Reader } from "../../store/kv.ts";
import { leaseOf } from "../lease-action.ts";
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
import { type OpenShare, openShare } from "./shares.ts";

export interface ReadFile {
  readonly ref: PathRef;
  readonly leaseId?: string | undefined;
}

export interface FileState {
  readonly inode: Inode;
  readonly now: Instant;
}

/** Finds a file and checks that it may be read. */
export async function openForRead(
  read: Reader,
  admissions: Admissions,
  { ref, leaseId }: ReadFile,
  use: RestUse,
  rangeOf?: GetFile["part"],
): Promise<OpenShare & FileState> {
  const { share, view } = await openShare(read, ref);
  const inode = await lookUp(view, share.id, ref.path, "file");
  const range = rangeOf?.(inode.record.size);
  const bytes = range && { offset: BigInt(range.from), length: BigInt(range.to - range.from) };
  // No handle is open in a snapshot.
  const admission = ref.snapshot === undefined ? admissions.ask(share, inode, use, bytes) : undefined;
  throwIf(checkFileRead(leaseOf(inode.record), leaseId, read.now()));
  admission?.pass();
  return { share, view, inode, now: read.now() };
}

export function getFileProperties(files: FileService, request: ReadFile): Promise<FileState> {
  return files.read(async (read, admissions) => {
    const { inode, now } = await openForRead(read, admissions, request, "look");
    return { inode, now };
  });
}

export interface GetFile extends ReadFile {
  /** The requested bytes of a file of this size; throws when there are none. */
  readonly part: (size: number) => { readonly from: number; readonly to: number };
}

export interface FoundFile extends FileState {
  readonly content: OpenContent;
}

/** Opens a range of a file. The caller streams it and closes it. */
export function getFile(files: FileService, request: GetFile): Promise<FoundFile> {
  const { payloads } = files.parts;
  return files.read(async (read, admissions) => {
    const opened = await openForRead(read, admissions, request, "read", request.part);
    const { share, view, inode, now } = opened;
    const { from, to } = request.part(inode.record.size);
    const ref = { share: share.id, content: inode.record.content, from, to };
    const first = await openWindow(read, view, payloads, ref);
    return { inode, now, content: new FileContent(ref, first, nextWindow(files, request, inode, ref)) };
  });
}

/** A later range of the same content; undefined after a write to the file. */
function nextWindow(files: FileService, request: ReadFile, inode: Inode, ref: ContentRef): NextWindow {
  return (from) =>
    files.parts.store.read(async (read) => {
      const { view } = await openShare(read, request.ref);
      const record = await findInode(view, ref.share, inode.id);
      if (record?.dataRevision !== inode.record.dataRevision) return undefined;
      return openWindow(read, view, files.parts.payloads, { ...ref, from });
    });
}
