import { Refusal } from "../../base/refusals.ts";
import { pendingCopyKey } from "../../store/keys/copies.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { pendingFileCopy } from "../../store/records/copies.ts";
import type { FileHeaders, InodeRecord, RangeRecord, ShareRecord } from "../../store/records/file.ts";
import { commitContent, ingest } from "../payload/content.ts";
import type { Admissions } from "./access.ts";
import { ATTRIBUTE } from "./attributes.ts";
import { makeFile } from "./create-file.ts";
import { type EaRecord, eaSummary, putEas, readEas } from "./extended-attributes.ts";
import type { FileService } from "./file-service.ts";
import { openForRead } from "./get-file.ts";
import { checkState, type InodeChanges, openForChange, putChanged } from "./inode-changes.ts";
import { findInode, findPlace, type Inode, readInode } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { PathRef } from "./names.ts";
import { findPermission } from "./permissions.ts";
import { slicesOf } from "./range-record.ts";
import { discardContent, putBytes, putRecord } from "./ranges.ts";
import { rangesIn } from "./read-content.ts";
import { changeUsage, findShare, openShare, readShare } from "./shares.ts";
import { LiveView } from "./versions.ts";

/** Copy File: from a file of this server by sharing its bytes, from elsewhere by fetching them. */
export interface CopyFile {
  readonly ref: PathRef;
  readonly leaseId?: string | undefined;
  readonly mayOverwrite?: boolean;
  readonly copyId: string;
  /** The address, as it is remembered: without what gives access to it. */
  readonly shown: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly requested: InodeChanges;
  /** What of the source's own properties is taken over. */
  readonly takes: ReadonlySet<"attributes" | "createdAt" | "writtenAt" | "changedAt" | "permission">;
  readonly ignoresReadOnly: boolean;
  readonly setsArchive: boolean;
}

/** What a copy takes from its source beside the bytes. */
interface Original {
  readonly size: number;
  readonly headers?: FileHeaders | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly inode?: InodeRecord | undefined;
  readonly sddl?: string | undefined;
  readonly eas?: readonly EaRecord[] | undefined;
}

/** What is copied next: for a copy that takes more than one transaction. */
export interface CopyWork {
  readonly request: CopyFile;
  readonly inode: bigint;
  readonly share: bigint;
  readonly size: number;
  /** A file of this server, and the state of it that is copied. */
  readonly source?: CopySource | undefined;
}

export interface CopySource {
  readonly ref: PathRef;
  readonly inode: bigint;
  readonly dataRevision: bigint;
}

async function beginCopy(
  owner: string,
  write: Writer,
  admissions: Admissions,
  share: ShareRecord,
  request: CopyFile,
  original: Original,
  status: "pending" | "success",
): Promise<Inode> {
  const { requested, takes, metadata } = request;
  const { inode, size, sddl, eas = [] } = original;
  const attributes = takes.has("attributes") ? inode?.attributes : requested.attributes;
  const made = await makeFile(write, admissions, share, {
    ref: request.ref,
    size,
    leaseId: request.leaseId,
    mayOverwrite: request.mayOverwrite ?? true,
    ignoresReadOnly: request.ignoresReadOnly,
    headers: original.headers,
    metadata: metadata === undefined || Object.keys(metadata).length === 0 ? original.metadata : metadata,
    requested: {
      attributes: request.setsArchive ? (attributes ?? 0) | ATTRIBUTE.Archive : attributes,
      createdAt: takes.has("createdAt") ? inode?.createdAt : requested.createdAt,
      writtenAt: takes.has("writtenAt") ? inode?.writtenAt : requested.writtenAt,
      changedAt: takes.has("changedAt") ? inode?.changedAt : requested.changedAt,
      permission: takes.has("permission") && sddl !== undefined ? { sddl } : requested.permission,
    },
  });
  const copy = {
    id: request.copyId,
    source: request.shown,
    status,
    bytes: status === "success" ? size : 0,
    total: size,
    ...(status === "success" ? { endedAt: write.now() } : {}),
  } as const;
  if (status === "pending") {
    const { account, share: name } = request.ref;
    const target = { account, share: name, shareId: share.id, node: made.id };
    write.put(pendingCopyKey("file", request.copyId), pendingFileCopy.pack({ owner, target }));
  }
  const { revision: _, ...times } = made.record;
  const told = eaSummary(eas);
  const revision = await putChanged(write, share, made, { changedAt: times.changedAt, copy, ...told });
  if (eas.length > 0) await putEas(write, share, made.id, { eas, since: revision });
  return { id: made.id, record: { ...made.record, copy, ...told, revision } };
}

export interface CopiedFile {
  readonly inode: Inode;
  /** Undefined when the copy is complete. */
  readonly work: CopyWork | undefined;
}

/** One transaction while the source has few ranges; otherwise the first step of several. */
export function copyFile(files: FileService, request: CopyFile, source: PathRef): Promise<CopiedFile> {
  return files.change(async (write, admissions) => {
    const opened = await openForRead(write, admissions, { ref: source }, "read");
    const { record } = opened.inode;
    if (record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const share = await readShare(write, request.ref);
    const ref = { share: opened.share.id, content: record.content, from: 0, to: record.size };
    const ranges: { offset: number; record: RangeRecord }[] = [];
    let isAll = true;
    for await (const range of rangesIn(opened.view, ref)) {
      if (ranges.length === FILE_LIMITS.copyRangesPerStep) {
        isAll = false;
        break;
      }
      ranges.push(range);
    }
    const sddl =
      record.permission === undefined
        ? undefined
        : await findPermission(write, opened.share.id, record.permission);
    const original = {
      size: record.size,
      headers: record.headers,
      metadata: record.metadata,
      inode: record,
      sddl,
      eas: await readEas(opened.view, opened.share.id, opened.inode),
    };
    const { owner } = files.parts.store.ephemeral;
    const status = isAll ? "success" : "pending";
    const inode = await beginCopy(owner, write, admissions, share, request, original, status);
    if (isAll) await shareRanges(files, write, share, inode, ranges);
    const from = { ref: source, inode: opened.inode.id, dataRevision: record.dataRevision };
    const work = { request, inode: inode.id, share: share.id, size: record.size, source: from };
    return { inode, work: isAll ? undefined : work };
  });
}

async function shareRanges(
  { parts: { payloads } }: FileService,
  write: Writer,
  share: ShareRecord,
  { record }: Inode,
  ranges: readonly { readonly offset: number; readonly record: RangeRecord }[],
): Promise<void> {
  const slices = ranges.flatMap((range) => slicesOf(range.record));
  if (slices.length > 0) await payloads.share(write, slices);
  for (const { offset, record: range } of ranges) {
    putRecord({ write, payloads, share, content: record.content, since: record.revision }, offset, range);
  }
}

/** The next ranges of a copy within this server; `next` is undefined when the source is through. */
export function copyNextRanges(
  files: FileService,
  work: CopyWork & { readonly source: CopySource },
  from: number,
): Promise<{ readonly next: number | undefined }> {
  const { source } = work;
  return files.parts.store.write(async (write) => {
    const target = await findPending(write, work);
    const { share, view } = await openShare(write, source.ref);
    const record = await findInode(view, share.id, source.inode);
    if (record?.dataRevision !== source.dataRevision) {
      throw new Refusal("CannotVerifyCopySource", { text: "The source was changed while it was copied." });
    }
    const ref = { share: share.id, content: record.content, from, to: work.size };
    const ranges: { offset: number; record: RangeRecord }[] = [];
    let next: number | undefined;
    for await (const range of rangesIn(view, ref)) {
      if (ranges.length === FILE_LIMITS.copyRangesPerStep) {
        next = range.offset;
        break;
      }
      ranges.push(range);
    }
    await shareRanges(files, write, target.share, target.inode, ranges);
    await putCopy(write, target, { bytes: next ?? work.size });
    return { next };
  });
}

/** Whether a file could be copied to here, as things are: asked before its bytes are fetched, and again with them. */
export function checkCopyTarget(
  files: FileService,
  request: Pick<CopyFile, "ref" | "leaseId" | "mayOverwrite" | "ignoresReadOnly">,
): Promise<void> {
  const { ref, leaseId, ignoresReadOnly } = request;
  return files.read(async (read, admissions) => {
    const share = await readShare(read, ref);
    if (ref.path.length === 0) throw new Refusal("ResourceTypeMismatch");
    const view = new LiveView(read);
    const { entry } = await findPlace(view, share.id, ref.path);
    if (entry?.kind === "directory") throw new Refusal("ResourceTypeMismatch");
    if (entry === undefined) {
      if (leaseId !== undefined) throw new Refusal("LeaseNotPresentWithFileOperation");
      return;
    }
    if (request.mayOverwrite === false) throw new Refusal("AuthorizationPermissionMismatch");
    const inode = { id: entry.inode, record: await readInode(view, share.id, entry.inode) };
    admissions.ask(share, inode, "look").pass();
    checkState(read, inode.record, leaseId, { ignoresReadOnly });
  });
}

/** A copy whose bytes come from elsewhere: a file of zeros that says "pending". */
export function beginCopyFromUrl(
  files: FileService,
  request: CopyFile,
  original: Omit<Original, "inode" | "sddl" | "eas">,
): Promise<CopiedFile> {
  if (original.size > FILE_LIMITS.fileBytesMax) throw new Refusal("OutOfRangeInput");
  return files.change(async (write, admissions) => {
    const share = await readShare(write, request.ref);
    const { owner } = files.parts.store.ephemeral;
    const inode = await beginCopy(owner, write, admissions, share, request, original, "pending");
    return { inode, work: { request, inode: inode.id, share: share.id, size: original.size } };
  });
}

/** How a copy that goes on is found again. */
export interface CopyInPlace {
  readonly request: { readonly ref: Pick<PathRef, "account" | "share">; readonly copyId: string };
  readonly inode: bigint;
  readonly share: bigint;
}

interface PendingCopy {
  readonly share: ShareRecord;
  readonly inode: Inode;
}

/** The target of a copy that still goes on; a copy that was aborted or overwritten is over. */
async function findPending(write: Writer, copy: CopyInPlace): Promise<PendingCopy> {
  const found = await findPendingCopy(write, copy);
  if (found === undefined) throw new Refusal("NoPendingCopyOperation");
  return found;
}

export async function findPendingCopy(
  read: Reader,
  { request, inode, share: id }: CopyInPlace,
): Promise<PendingCopy | undefined> {
  const share = await findShare(read, request.ref);
  if (share?.id !== id) return undefined;
  const record = await findInode(new LiveView(read), id, inode);
  const isPending = record?.copy?.id === request.copyId && record.copy.status === "pending";
  return isPending ? { share, inode: { id: inode, record } } : undefined;
}

export async function putCopy(
  write: Writer,
  { share, inode }: PendingCopy,
  change: { readonly bytes?: number; readonly status?: "success" | "failed"; readonly description?: string },
): Promise<void> {
  const copy = {
    ...inode.record.copy!,
    ...change,
    ...(change.status === undefined ? {} : { endedAt: write.now() }),
  };
  await putChanged(write, share, inode, { copy, dataRevision: write.revision(inode.record.dataRevision) });
}

/** Bytes of a copy from elsewhere, in order, up to 4 MiB at a time. */
export async function putCopiedBytes(
  files: FileService,
  work: CopyWork,
  offset: number,
  bytes: Buffer,
): Promise<void> {
  const { payloads, store } = files.parts;
  const taken = await ingest(payloads, bytes);
  try {
    await store.write(async (write) => {
      const target = await findPending(write, work);
      await commitContent(payloads, write, taken.content);
      const { share, inode } = target;
      const at = { write, payloads, share, content: inode.record.content, since: write.revision() };
      await putBytes(at, offset, taken.content);
      await putCopy(write, target, { bytes: offset + bytes.length });
    });
  } finally {
    taken.release();
  }
}

export function endCopy(
  files: FileService,
  work: CopyWork,
  outcome: { readonly status: "success" | "failed"; readonly description?: string },
): Promise<void> {
  return files.parts.store.write(async (write) => putCopy(write, await findPending(write, work), outcome));
}

/** Ends a copy that goes on; the file is left empty. */
export async function abortCopy(
  files: FileService,
  request: { readonly ref: PathRef; readonly copyId: string; readonly leaseId?: string | undefined },
): Promise<void> {
  await files.change(async (write, admissions) => {
    const { share, inode } = await openForChange(write, admissions, request, "write", {
      ignoresCopy: true,
      ignoresReadOnly: true,
    });
    const { copy } = inode.record;
    if (copy?.status !== "pending") throw new Refusal("NoPendingCopyOperation");
    if (copy.id !== request.copyId) throw new Refusal("CopyIdMismatch");
    await changeUsage(write, share, -inode.record.size);
    discardContent(write, share, inode.record.content);
    const revision = write.revision(inode.record.revision);
    await putChanged(write, share, inode, {
      size: 0,
      content: revision,
      dataRevision: revision,
      copy: { ...copy, status: "aborted", endedAt: write.now() },
    });
  });
}
