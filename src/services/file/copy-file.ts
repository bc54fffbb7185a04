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
import { findInode, findPlace, type Inode, inodeAt } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { PathRef } from "./names.ts";
import { findPermission } from "./permissions.ts";
import { slicesOf } from "./range-record.ts";
import { discardContent, putBytes, putRecord } from "./ranges.ts";
import { type ContentRef, rangesIn } from "./read-content.ts";
import { changeUsage, findShare, openShare, readShare } from "./shares.ts";
import { LiveView, type View } from "./versions.ts";

/** Copy File: a source on this server shares its bytes with the copy; those of another source are fetched. */
export interface CopyFile {
  readonly ref: PathRef;
  readonly leaseId?: string | undefined;
  readonly mayOverwrite?: boolean;
  readonly copyId: string;
  /** The URL of the source as it is stored, without credentials. */
  readonly shown: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly requested: InodeChanges;
  /** The properties that come from the source. */
  readonly fromSource: ReadonlySet<"attributes" | "createdAt" | "writtenAt" | "changedAt" | "permission">;
  readonly ignoresReadOnly: boolean;
  readonly setsArchive: boolean;
}

/** What a copy gets from its source beside the bytes. */
interface Original {
  readonly size: number;
  readonly headers?: FileHeaders | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly inode?: InodeRecord | undefined;
  readonly sddl?: string | undefined;
  readonly eas?: readonly EaRecord[] | undefined;
}

/** A pending copy. */
export interface CopyTarget {
  readonly request: { readonly ref: Pick<PathRef, "account" | "share">; readonly copyId: string };
  readonly inode: bigint;
  readonly share: bigint;
}

/** A copy that needs more than one transaction. */
export interface CopyWork extends CopyTarget {
  readonly request: CopyFile;
  readonly size: number;
  /** The source, when it is a file of this server, at the revision that is copied. */
  readonly source?: CopySource | undefined;
}

interface CopySource {
  readonly ref: PathRef;
  readonly inode: bigint;
  readonly dataRevision: bigint;
}

async function beginCopy(
  { parts: { store } }: FileService,
  write: Writer,
  admissions: Admissions,
  share: ShareRecord,
  request: CopyFile,
  original: Original,
  status: "pending" | "success",
): Promise<Inode> {
  const { requested, fromSource, metadata } = request;
  const { inode, size, sddl, eas = [] } = original;
  const attributes = fromSource.has("attributes") ? inode?.attributes : requested.attributes;
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
      createdAt: fromSource.has("createdAt") ? inode?.createdAt : requested.createdAt,
      writtenAt: fromSource.has("writtenAt") ? inode?.writtenAt : requested.writtenAt,
      changedAt: fromSource.has("changedAt") ? inode?.changedAt : requested.changedAt,
      permission: fromSource.has("permission") && sddl !== undefined ? { sddl } : requested.permission,
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
    const target = { account, share: name, shareId: share.id, inode: made.id };
    const { owner } = store.ephemeral;
    write.put(pendingCopyKey("file", request.copyId), pendingFileCopy.pack({ owner, target }));
  }
  const added = { copy, ...eaSummary(eas) };
  const revision = await putChanged(write, share, made, { changedAt: made.record.changedAt, ...added });
  if (eas.length > 0) await putEas(write, share, made.id, { eas, since: revision });
  return { id: made.id, record: { ...made.record, ...added, revision } };
}

export interface CopiedFile {
  readonly inode: Inode;
  /** Undefined when the copy is complete. */
  readonly work: CopyWork | undefined;
}

/**
 * Copies a file of this server: a file of few ranges at once, otherwise in steps of which this is the first.
 */
export function copyFile(files: FileService, request: CopyFile, source: PathRef): Promise<CopiedFile> {
  return files.change(async (write, admissions) => {
    const opened = await openForRead(write, admissions, { ref: source }, "read");
    const { record } = opened.inode;
    if (record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const share = await readShare(write, request.ref);
    const { size, headers, metadata, permission, content } = record;
    const ref = { share: opened.share.id, content, from: 0, to: size };
    const { ranges, next } = await readRanges(opened.view, ref);
    const original = {
      size,
      headers,
      metadata,
      inode: record,
      sddl: permission && (await findPermission(write, opened.share.id, permission)),
      eas: await readEas(opened.view, opened.share.id, opened.inode),
    };
    const isComplete = next === undefined;
    const status = isComplete ? "success" : "pending";
    const inode = await beginCopy(files, write, admissions, share, request, original, status);
    if (isComplete) await shareRanges(files, write, { share, inode }, ranges);
    const from = { ref: source, inode: opened.inode.id, dataRevision: record.dataRevision };
    const work = { request, inode: inode.id, share: share.id, size, source: from };
    return { inode, work: isComplete ? undefined : work };
  });
}

interface CopiedRange {
  readonly offset: number;
  readonly record: RangeRecord;
}

/** The ranges that one transaction copies, and where the next one starts. */
async function readRanges(
  view: View,
  ref: ContentRef,
): Promise<{ readonly ranges: readonly CopiedRange[]; readonly next: number | undefined }> {
  const ranges: CopiedRange[] = [];
  for await (const range of rangesIn(view, ref)) {
    if (ranges.length === FILE_LIMITS.copyRangesPerStep) return { ranges, next: range.offset };
    ranges.push(range);
  }
  return { ranges, next: undefined };
}

async function shareRanges(
  { parts: { payloads } }: FileService,
  write: Writer,
  { share, inode: { record } }: PendingCopy,
  ranges: readonly CopiedRange[],
): Promise<void> {
  const slices = ranges.flatMap((range) => slicesOf(range.record));
  if (slices.length > 0) await payloads.share(write, slices);
  const at = { write, payloads, share, content: record.content, since: record.revision };
  for (const { offset, record: range } of ranges) putRecord(at, offset, range);
}

/** Copies the next ranges. Resolves to the offset of the next step, undefined at the end of the source. */
export function copyNextRanges(
  files: FileService,
  work: CopyWork,
  source: CopySource,
  from: number,
): Promise<number | undefined> {
  return files.parts.store.write(async (write) => {
    const target = await findPending(write, work);
    const { share, view } = await openShare(write, source.ref);
    const record = await findInode(view, share.id, source.inode);
    if (record?.dataRevision !== source.dataRevision) {
      throw new Refusal("CannotVerifyCopySource", { text: "The source was changed while it was copied." });
    }
    const ref = { share: share.id, content: record.content, from, to: work.size };
    const { ranges, next } = await readRanges(view, ref);
    await shareRanges(files, write, target, ranges);
    await putCopy(write, target, { bytes: next ?? work.size });
    return next;
  });
}

/** Refuses a target that cannot be copied to, before the bytes are fetched. The copy itself checks again. */
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
    const inode = await inodeAt(view, share.id, entry.inode);
    admissions.ask(share, inode, "look").pass();
    checkState(read, inode.record, leaseId, { ignoresReadOnly });
  });
}

/** Starts a copy of a source elsewhere: a file of zeros whose copy status is "pending". */
export function beginCopyFromUrl(
  files: FileService,
  request: CopyFile,
  original: Omit<Original, "inode" | "sddl" | "eas">,
): Promise<CopiedFile> {
  if (original.size > FILE_LIMITS.fileBytesMax) throw new Refusal("OutOfRangeInput");
  return files.change(async (write, admissions) => {
    const share = await readShare(write, request.ref);
    const inode = await beginCopy(files, write, admissions, share, request, original, "pending");
    return { inode, work: { request, inode: inode.id, share: share.id, size: original.size } };
  });
}

interface PendingCopy {
  readonly share: ShareRecord;
  readonly inode: Inode;
}

/** Refuses when the copy was aborted or its target overwritten. */
async function findPending(write: Writer, copy: CopyTarget): Promise<PendingCopy> {
  const found = await findPendingCopy(write, copy);
  if (found === undefined) throw new Refusal("NoPendingCopyOperation");
  return found;
}

export async function findPendingCopy(
  read: Reader,
  { request, inode, share: id }: CopyTarget,
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

/** Puts fetched bytes of a copy, up to 4 MiB at a time. */
export async function putCopiedBytes(
  files: FileService,
  work: CopyWork,
  offset: number,
  bytes: Buffer,
): Promise<void> {
  const { payloads, store } = files.parts;
  const ingested = await ingest(payloads, bytes);
  try {
    await store.write(async (write) => {
      const target = await findPending(write, work);
      await commitContent(payloads, write, ingested.content);
      const { share, inode } = target;
      const at = { write, payloads, share, content: inode.record.content, since: write.revision() };
      await putBytes(at, offset, ingested.content);
      await putCopy(write, target, { bytes: offset + bytes.length });
    });
  } finally {
    ingested.release();
  }
}

export function endCopy(
  files: FileService,
  work: CopyWork,
  outcome: { readonly status: "success" | "failed"; readonly description?: string },
): Promise<void> {
  return files.parts.store.write(async (write) => putCopy(write, await findPending(write, work), outcome));
}

/** Aborts a pending copy. The file stays, empty. */
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
