import { monotonic, pause } from "../../../base/clock.ts";
import { Refusal } from "../../../base/refusals.ts";
import { isLocked } from "../../../concurrency/lease.ts";
import { type Access, DELETE, mayOpenLeased, usesOf, WRITE } from "../../../concurrency/share-mode.ts";
import { deletePendingKey } from "../../../store/keys/file.ts";
import type { Key } from "../../../store/kv.ts";
import type { InodeRecord } from "../../../store/records/file.ts";
import { leaseOf } from "../../lease-action.ts";
import { ATTRIBUTE, isReadOnly } from "../attributes.ts";
import { awaitBreaks, type InodeName, wakeHolders } from "../cache-breaks.ts";
import type { FileService } from "../file-service.ts";
import { endHandle } from "../handles.ts";
import { findInode, type Inode } from "../inodes.ts";
import { FILE_LIMITS } from "../limits.ts";
import { checkName, type ShareRef } from "../names.ts";
import { OpenFile } from "../open-file.ts";
import { markOpened } from "../opened-marks.ts";
import { findShare } from "../shares.ts";
import { shownStream } from "../streams.ts";
import { LiveView } from "../versions.ts";
import { createInode, createStream, overwriteInode, overwriteStream } from "./create-inode.ts";
import { findTarget, isStored, type OpenTarget, type StillGranted, stillGranted } from "./find-target.ts";
import { isOverwriting, type OpenRequest } from "./open-request.ts";
import type { Granted } from "./open-rights.ts";
import { openInSnapshot } from "./open-snapshot.ts";
import { type Asked, BUSY, type Placed, type Placement, placeHandle } from "./place-handle.ts";

/**
 * Opens by SMB clients. A handle is a record in the ephemeral key space: every process sees it, REST calls
 * are checked against it, and it is deleted when the process that serves it dies.
 *
 * The handle is placed first, in one transaction with every check against other handles. Then the open
 * changes or confirms the durable space: the inode still exists, no lease conflicts, the share has the mark.
 * A new file has its handle before it exists, so no other client opens it before its creator.
 *
 * After that, clients of other processes that have the file open are asked (cache-breaks.ts): their caches
 * are broken and their writes end. From then on, both processes see that they share the file.
 *
 * Throws SharingViolation, SMBDeletePending, TooManyOpenHandles, or what the path and the disposition throw.
 */
export async function openInode(files: FileService, request: OpenRequest): Promise<OpenFile> {
  if (request.ref.snapshot !== undefined) return openInSnapshot(files, request);
  let hasAsked = false;
  for (let tries = 0; tries < FILE_LIMITS.openRetriesMax; tries++) {
    const target = await files.parts.store.read((read) => findTarget(read, request));
    const opened =
      target.inode === undefined
        ? await openNew(files, request, target)
        : await openExisting(files, request, target, target.inode, hasAsked);
    if (opened !== BUSY && !("asked" in opened)) return opened;
    if (opened !== BUSY) {
      hasAsked = true;
      await areAnswered(files, { share: target.share.id, inode: opened.inode }, opened.asked);
      continue;
    }
    await pause(FILE_LIMITS.openRetryMillis);
    await files.liveness?.quarantineEnded();
  }
  throw new Refusal("SharingViolation");
}

function areAnswered({ context }: FileService, inode: InodeName, asked: readonly Key[]): Promise<boolean> {
  wakeHolders(context);
  return awaitBreaks(context, inode, asked, monotonic() + FILE_LIMITS.openWaitMillisMax);
}

const mayCreate = ({ disposition }: OpenRequest): boolean =>
  disposition !== undefined && disposition !== "open" && disposition !== "overwrite";

async function openNew(
  files: FileService,
  request: OpenRequest,
  target: OpenTarget,
): Promise<OpenFile | Asked | typeof BUSY> {
  const { share, ancestors, name, base, granted } = target;
  if (!mayCreate(request)) throw new Refusal("ResourceNotFound");
  if (!isStored(base)) checkName(name);
  if (base !== undefined && request.kind === "directory") throw new Refusal("ResourceTypeMismatch");
  const { attributes = 0, kind = "file", isDeleteOnClose = false } = request;
  const isBaseReadOnly = isStored(base) && base.record.kind === "file" && isReadOnly(base.record);
  if (isDeleteOnClose && (isBaseReadOnly || (attributes & ATTRIBUTE.ReadOnly) !== 0))
    throw new Refusal("CannotDeleteFileOrDirectory");
  if (isBaseReadOnly && (request.access & WRITE) !== 0) throw new Refusal("ReadOnlyAttribute");
  if (granted === "denied") throw new Refusal("AuthorizationPermissionMismatch");
  const access =
    granted === undefined ? request.access | (request.optionalAccess ?? 0) : usesOf(granted.access);
  const placed = await placeHandle(files, request, {
    share: share.id,
    ancestors,
    inode: "new",
    base: idOf(base),
    kind,
    access,
    checkedAccess: access,
    hasAsked: true,
    check: undefined,
  });
  if (placed === BUSY || !("id" in placed)) return placed;
  return finishOpen(files, request, target, placed, async () => {
    const at = { share: share.id, inode: placed.inode };
    const { value, durable } =
      placed.base === undefined
        ? await createInode(files, request, at)
        : await createStream(files, request, {
            ...at,
            base: placed.base,
            isBaseNew: base === "new",
            granted,
            isStillGranted: stillGranted(request, target),
          });
    return value && { record: value.record, granted: value.granted, action: "created", access, durable };
  });
}

/** As clients see it, except that a read-only directory protects no stream of its own. */
function checkedStream(base: InodeRecord, stream: InodeRecord): InodeRecord {
  const shown = shownStream(base, stream);
  return base.kind === "file" ? shown : { ...shown, attributes: shown.attributes & ~ATTRIBUTE.ReadOnly };
}

function idOf(base: OpenTarget["base"]): Placement["base"] {
  return isStored(base) ? base.id : base;
}

async function openExisting(
  files: FileService,
  request: OpenRequest,
  target: OpenTarget,
  inode: Inode,
  hasAsked: boolean,
): Promise<OpenFile | Asked | typeof BUSY> {
  const { share, ancestors, base } = target;
  const { id } = inode;
  const record = isStored(base) ? checkedStream(base.record, inode.record) : inode.record;
  const optional = request.optionalAccess ?? 0;
  const isProtected = record.kind === "file" && isReadOnly(record);
  const granted = target.granted === "denied" ? undefined : target.granted;
  const access =
    granted === undefined
      ? request.access | (isProtected ? optional & ~WRITE : optional)
      : usesOf(granted.access);
  const isSuperseding = request.disposition === "supersede";
  const isOverwritten = isOverwriting(request);
  const checkedAccess = access | (isOverwritten ? WRITE : 0) | (isSuperseding ? DELETE : 0);
  const placed = await placeHandle(files, request, {
    share: share.id,
    ancestors,
    inode: id,
    base: idOf(base),
    kind: record.kind,
    access,
    checkedAccess,
    hasAsked,
    check: () => {
      checkExisting(request, record);
      if (target.granted === "denied") throw new Refusal("AuthorizationPermissionMismatch");
    },
  });
  if (placed === BUSY || !("id" in placed)) return placed;
  const isStillGranted = stillGranted(request, target);
  const check: StillGranted = (read, now) => {
    const isLeased = isLocked(leaseOf(now), read.now()) && !mayOpenLeased(checkedAccess);
    const isCopied = now.copy?.status === "pending" && (checkedAccess & WRITE) !== 0;
    if (isLeased || isCopied) throw new Refusal("SharingViolation");
    if (request.ignoresEas === true && now.needsEas === true)
      throw new Refusal("AuthorizationPermissionMismatch");
    return isStillGranted(read, now);
  };
  return finishOpen(files, request, target, placed, async () => {
    if (placed.asked.length > 0 && !(await askOthersToClose(files, share.id, placed))) return undefined;
    const at = { share: share.id, inode: id };
    if (isOverwritten) {
      const { value, durable } =
        placed.base === undefined
          ? await overwriteInode(files, request, { ...at, check })
          : await overwriteStream(files, request, { ...at, base: placed.base, isStillGranted });
      const action = isSuperseding ? "superseded" : "overwritten";
      return value && { record: value, granted, action, access, durable };
    }
    const { base: baseId } = placed;
    const now = await confirm(
      files,
      request.ref,
      { ...at, base: baseId },
      baseId === undefined ? check : isStillGranted,
    );
    return now && { record: now, granted, action: "opened", access };
  });
}

/** Refuses an open of a file or directory that exists, apart from share modes. */
function checkExisting(request: OpenRequest, record: InodeRecord): void {
  const { disposition, kind, access, attributes = 0 } = request;
  if (disposition === "create") throw new Refusal("ResourceAlreadyExists");
  if (kind !== undefined && kind !== record.kind) throw new Refusal("ResourceTypeMismatch");
  const isOverwritten = isOverwriting(request);
  if (record.kind === "directory") {
    if (isOverwritten) throw new Refusal("ResourceAlreadyExists");
    return;
  }
  const isWritten = isOverwritten || (access & WRITE) !== 0;
  if (isReadOnly(record) && isWritten) throw new Refusal("ReadOnlyAttribute");
  if (isReadOnly(record) && request.isDeleteOnClose === true)
    throw new Refusal("CannotDeleteFileOrDirectory");
  // An open that overwrites a hidden or system file must request the same attribute.
  const hidden = record.attributes & (ATTRIBUTE.Hidden | ATTRIBUTE.System) & ~attributes;
  if (isOverwritten && hidden !== 0) throw new Refusal("AuthorizationPermissionMismatch");
}

interface Done {
  readonly record: InodeRecord;
  readonly action: OpenFile["action"];
  readonly access: Access;
  readonly granted: Granted | undefined;
  readonly durable?: () => Promise<void>;
}

/** False when the file became delete-pending while clients of other processes answered. */
async function askOthersToClose(files: FileService, share: bigint, placed: Placed): Promise<boolean> {
  const { inode, asked } = placed;
  if (!(await areAnswered(files, { share, inode }, asked))) throw new Refusal("SharingViolation");
  const pending = await files.parts.store.ephemeral.read((read) => read.get(deletePendingKey(share, inode)));
  return pending === undefined;
}

/** Runs the durable part of an open; `undefined` from it means that the path meanwhile leads elsewhere. */
async function finishOpen(
  files: FileService,
  request: OpenRequest,
  { share: { id: share }, path, stream, base: targetBase }: OpenTarget,
  { inode, base, id, isAlone }: Placed,
  run: () => Promise<Done | undefined>,
): Promise<OpenFile | typeof BUSY> {
  files.liveness?.placed();
  const { account, share: name } = request.ref;
  const handle = { ref: { account, share: name }, share, inode, id, base };
  let done: Done | undefined;
  try {
    done = await run();
  } finally {
    // A deletion that was requested meanwhile may wait for this handle.
    if (done === undefined) await endHandle(files, handle, { isForced: true });
  }
  if (done === undefined) return BUSY;
  const { record, action, access, granted, durable } = done;
  return new OpenFile(files, handle, {
    path,
    stream,
    isBaseNew: targetBase === "new",
    record,
    action,
    access,
    granted,
    acls: request.rights?.acls,
    isAlone,
    reservedBytes: action === "opened" ? 0 : (request.allocationBytes ?? 0),
    durable,
  });
}

/** Finds a deletion or a lease by REST calls that did not see the handle yet, and marks the share. */
async function confirm(
  files: FileService,
  ref: ShareRef,
  {
    share,
    inode,
    base,
  }: { readonly share: bigint; readonly inode: bigint; readonly base: bigint | undefined },
  check: StillGranted,
): Promise<InodeRecord | undefined> {
  for (;;) {
    const found = await files.parts.store.read(async (read) => {
      const now = await findShare(read, ref);
      if (now?.id !== share) throw new Refusal("ShareNotFound");
      if (now.isOpened !== true) return "unmarked";
      const view = new LiveView(read);
      const record = await findInode(view, share, inode);
      const guarded = base === undefined ? record : await findInode(view, share, base);
      if (record === undefined || guarded === undefined) return undefined;
      const isStill = check(read, guarded);
      if (isStill !== undefined && !(await isStill)) return undefined;
      return base === undefined ? record : shownStream(guarded, record);
    });
    if (found !== "unmarked") return found;
    await markOpened(files, ref, share);
  }
}
