import { MESSAGE_BYTES_MAX } from "../../base/messages.ts";
import { Refusal } from "../../base/refusals.ts";
import { handleKey, handlesOfInode, handlesOfShare, readHandleKey } from "../../store/keys/file.ts";
import { type HandleRecord, handleRecord, type ShareRecord } from "../../store/records/file.ts";
import { ItemPage, type NewPage, type Page, type PageAndNext } from "../page.ts";
import type { FileContext } from "./cache-breaks.ts";
import type { FileService } from "./file-service.ts";
import { endHandle } from "./handles.ts";
import { findAny, findInode, type Inode, pathOf, ROOT } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { PathRef } from "./names.ts";
import { readShare } from "./shares.ts";
import { LiveView, type View } from "./versions.ts";

/** List Handles and Force Close Handles: the table of opens, as REST shows it. */
interface HandlesTarget {
  readonly ref: PathRef;
  readonly isRecursive: boolean;
  readonly from?: HandlePosition | undefined;
}

export interface ListHandles<P extends Page<ListedHandle>> extends HandlesTarget {
  readonly newPage: NewPage<ListedHandle, P>;
}

export interface HandlePosition {
  readonly inode: bigint;
  readonly handle: bigint;
}

export interface ListedHandle extends HandlePosition {
  readonly record: HandleRecord;
  readonly path: readonly string[];
  readonly parent: bigint;
}

async function findTarget(files: FileService, { ref, isRecursive }: HandlesTarget) {
  return files.parts.store.read(async (read) => {
    const share = await readShare(read, ref);
    const inode = await findAny(new LiveView(read), share.id, ref.path);
    if (isRecursive && inode.record.kind === "file") {
      throw new Refusal("InvalidHeaderValue", {
        elements: { HeaderName: "x-ms-recursive", HeaderValue: "true" },
      });
    }
    return { share, inode };
  });
}

export async function listHandles<P extends Page<ListedHandle>>(
  files: FileService,
  request: ListHandles<P>,
): Promise<PageAndNext<P, HandlePosition>> {
  const { share, inode } = await findTarget(files, request);
  const isSnapshot = request.ref.snapshot !== undefined;
  const candidates = isSnapshot ? [] : await readHandles(files, share, inode, request);
  return files.parts.store.read(async (read) => {
    const view = new LiveView(read);
    const page = request.newPage(read.now());
    for (const candidate of candidates) {
      if (!(await isBelow(view, share.id, candidate.inode, inode.id))) continue;
      if (page.isFull) return { page, next: candidate };
      const record = await findInode(view, share.id, candidate.inode);
      const path = await pathOf(view, share.id, candidate.inode);
      page.add({ ...candidate, path, parent: record?.parent ?? ROOT });
    }
    return { page, next: undefined };
  });
}

/** Handles from a position on, of one inode or of everything in the share. */
function readHandles(
  files: FileService,
  share: ShareRecord,
  inode: Inode,
  { isRecursive, from }: HandlesTarget,
): Promise<(HandlePosition & { record: HandleRecord })[]> {
  return files.parts.store.ephemeral.read(async (read) => {
    const range = isRecursive ? handlesOfShare(share.id) : handlesOfInode(share.id, inode.id);
    const start = from === undefined ? range.from : handleKey(share.id, from.inode, from.handle);
    const found: (HandlePosition & { record: HandleRecord })[] = [];
    if (start >= range.to) return found;
    for await (const { key, value } of read.range({
      ...range,
      from: start > range.from ? start : range.from,
    })) {
      const place = readHandleKey(key);
      const record = handleRecord.unpack(value);
      // The open of a named stream has two records; the one of its file is listed.
      if (record.base === undefined) found.push({ inode: place.inode, handle: place.handle, record });
    }
    return found;
  });
}

/** Whether an inode is in a directory, at any depth, or the directory itself. */
export async function isBelow(view: View, share: bigint, inode: bigint, directory: bigint): Promise<boolean> {
  for (let at = inode; at !== directory; ) {
    if (at === ROOT) return false;
    const record = await findInode(view, share, at);
    if (record === undefined) return false;
    at = record.parent;
  }
  return true;
}

export interface ClosedHandles {
  readonly closed: number;
  readonly failed: number;
  readonly next: HandlePosition | undefined;
}

const ENDED = "file-handles-ended";
const ID_BYTES = 8;

/** Notifies the processes that serve these handles; without it they notice when a client uses the handle. */
function announceEnded({ messages }: FileContext, ids: readonly bigint[]): void {
  const perMessage = MESSAGE_BYTES_MAX / ID_BYTES;
  for (let from = 0; from < ids.length; from += perMessage) {
    const some = ids.slice(from, from + perMessage);
    const bytes = Buffer.alloc(some.length * ID_BYTES);
    for (const [index, id] of some.entries()) bytes.writeBigUInt64BE(id, index * ID_BYTES);
    messages.announce(ENDED, bytes);
  }
}

export function hearEnded({ messages }: FileContext, hear: (handle: bigint) => void): () => void {
  return messages.listen(ENDED, (bytes) => {
    for (let at = 0; at + ID_BYTES <= bytes.length; at += ID_BYTES) hear(bytes.readBigUInt64BE(at));
  });
}

/** Closes handles as if their client had disconnected: share modes and locks end at once. */
export async function forceCloseHandles(
  files: FileService,
  request: HandlesTarget & { readonly handle: bigint | "*" },
): Promise<ClosedHandles> {
  const { share } = await findTarget(files, request);
  const newPage = () => new ItemPage<ListedHandle>(FILE_LIMITS.closedPerRequestMax);
  const { page, next } = await listHandles(files, { ...request, newPage });
  const { account, share: name } = request.ref;
  const ended: bigint[] = [];
  for (const { inode, handle, record } of page.items) {
    if (request.handle !== "*" && request.handle !== handle) continue;
    const { stream } = record;
    const ref = { ref: { account, share: name }, share: share.id, inode: stream ?? inode, id: handle };
    const open = stream === undefined ? ref : { ...ref, base: inode };
    if ((await endHandle(files, open, { isForced: true })) !== "unknown") ended.push(handle);
  }
  announceEnded(files.context, ended);
  return { closed: ended.length, failed: 0, next };
}
