import type { Instant } from "../../base/clock.ts";
import { checkFileRead } from "../../concurrency/file-lease.ts";
import type { RestUse } from "../../concurrency/share-mode.ts";
import type { Reader } from "../../store/kv.ts";
import type { NodeRecord } from "../../store/records/file.ts";
import type { Grants } from "./access.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef } from "./names.ts";
import { findNode, lookUp, type Node } from "./nodes.ts";
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

export interface FileFacts {
  readonly node: Node;
  readonly now: Instant;
}

/** A file as one snapshot of the store has it, checked for a read. */
export async function openForRead(
  read: Reader,
  grants: Grants,
  { ref, leaseId }: ReadFile,
  use: RestUse,
  range?: (record: NodeRecord) => { from: number; to: number },
): Promise<OpenShare & FileFacts> {
  const opened = await openShare(read, ref);
  const node = await lookUp(opened.view, opened.share.id, ref.path, "file");
  // Nobody has anything open in the past.
  const wanted = range?.(node.record);
  const bytes =
    wanted === undefined
      ? undefined
      : { offset: BigInt(wanted.from), length: BigInt(wanted.to - wanted.from) };
  const grant = ref.snapshot === undefined ? grants.ask(opened.share, node, use, bytes) : undefined;
  throwIf(checkFileRead(leaseOf(node.record), leaseId, read.now()));
  grant?.pass();
  return { share: opened.share, view: opened.view, node, now: read.now() };
}

export function getFileProperties(files: FileService, request: ReadFile): Promise<FileFacts> {
  return files.read(async (read, grants) => {
    const { node, now } = await openForRead(read, grants, request, "look");
    return { node, now };
  });
}

export interface GetFile extends ReadFile {
  /** Which bytes, once the size is known; throws when there are none. */
  readonly part: (size: number) => { readonly from: number; readonly to: number };
}

export interface FoundFile extends FileFacts {
  readonly content: OpenContent;
}

/** Opens a part of a file. The caller streams it and closes it. */
export function getFile(files: FileService, request: GetFile): Promise<FoundFile> {
  const { payloads } = files.parts;
  return files.read(async (read, grants) => {
    const opened = await openForRead(read, grants, request, "read", ({ size }) => request.part(size));
    const { share, view, node, now } = opened;
    const { from, to } = request.part(node.record.size);
    const ref = { share: share.id, content: node.record.content, from, to };
    const first = await openWindow(read, view, payloads, ref);
    return { node, now, content: new FileContent(ref, first, nextWindow(files, request, node, ref)) };
  });
}

/** A later part of the same state of the file; undefined when somebody has written to it since. */
function nextWindow(files: FileService, request: ReadFile, node: Node, ref: ContentRef): NextWindow {
  return (from) =>
    files.parts.store.read(async (read) => {
      const { view } = await openShare(read, request.ref);
      const record = await findNode(view, ref.share, node.id);
      if (record?.dataRevision !== node.record.dataRevision) return undefined;
      return openWindow(read, view, files.parts.payloads, {
        share: ref.share,
        content: ref.content,
        from,
        to: ref.to,
      });
    });
}
