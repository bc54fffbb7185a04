import { monotonic, pause } from "../../../base/clock.ts";
import { Refusal } from "../../../base/refusals.ts";
import { isLocked } from "../../../concurrency/lease.ts";
import { type Access, DELETE, mayOpenLeased, usesOf, WRITE } from "../../../concurrency/share-mode.ts";
import { deletePendingKey } from "../../../store/keys/file.ts";
import type { Key } from "../../../store/kv.ts";
import type { InodeRecord, ShareRecord } from "../../../store/records/file.ts";
import { ATTRIBUTE, isReadOnly } from "../attributes.ts";
import { awaitBreaks, type InodeName, wakeHolders } from "../cache-breaks.ts";
import type { EaRecord } from "../extended-attributes.ts";
import type { FileService } from "../file-service.ts";
import { endHandle } from "../handles.ts";
import { findInode, type Inode } from "../inodes.ts";
import { FILE_LIMITS } from "../limits.ts";
import { checkName, type PathRef, type ShareRef } from "../names.ts";
import { markOpened } from "../opened-marks.ts";
import { findShare, leaseOf, refuseSnapshot } from "../shares.ts";
import { shownStream } from "../streams.ts";
import { LiveView } from "../versions.ts";
import { type Found, isOverwriting, isStored, look, stillGranted } from "./look.ts";
import {
  createInode,
  createStream,
  overwriteInode,
  overwriteStream,
  type StillGranted,
} from "./make-node.ts";
import type { Granted, RightsRequest } from "./open-rights.ts";
import { type Asked, BUSY, type Placed, type Placement, placeHandle } from "./place-handle.ts";

/**
 * Opens, as SMB clients make them. A handle is a record in the ephemeral key space: every process sees it, REST
 * calls meet it, and when the process that serves it dies it is gone.
 *
 * The handle is placed first, in one transaction with every check against other handles; then what it needs of the
 * durable space is done or confirmed: the node is still there, no lease stands against it, the share is marked. A
 * file that is created has its handle before it exists, so its creator is the first who has it open.
 *
 * Where clients of another node have the file open, they are asked once the handle is there (cache-breaks.ts): their
 * caches go, what they write ends, and from then on both nodes see that they are not alone.
 */
export type Disposition = "supersede" | "open" | "create" | "openIf" | "overwrite" | "overwriteIf";

export interface OpenRequest {
  readonly ref: PathRef;
  /** A named stream of what is at the path. */
  readonly stream?: string | undefined;
  readonly access: Access;
  /** Granted as far as the file allows it. */
  readonly optionalAccess?: Access;
  readonly share: Access;
  readonly disposition?: Disposition;
  /** What the client insists on. */
  readonly kind?: InodeRecord["kind"] | undefined;
  /** The file goes when its last handle closes, once this one has closed. */
  readonly isDeleteOnClose?: boolean;
  /** Of a file that is created or whose content is replaced. */
  readonly attributes?: number;
  readonly sddl?: string | undefined;
  /** Extended attributes, of a node that is created or whose content is replaced: it has no others. */
  readonly eas?: readonly EaRecord[] | undefined;
  /** Opens nothing that cannot be understood without its extended attributes. */
  readonly ignoresEas?: boolean;
  /** Where access lists are enforced; what they grant stands in the place of `access` and `optionalAccess`. */
  readonly rights?: RightsRequest | undefined;
  readonly mayCache?: boolean;
  /** What is created or replaced may be answered before it is durable. */
  readonly mayCommitAsync?: boolean;
  readonly session: bigint;
  readonly clientAddress: string;
  readonly clientName: string;
}

/** What names an open handle from now on: ids, which no rename changes. */
export interface Handle {
  readonly ref: ShareRef;
  readonly share: bigint;
  readonly inode: bigint;
  readonly id: bigint;
  /** Of a named stream: the file or directory it belongs to. */
  readonly base?: bigint | undefined;
}

export interface OpenedHandle extends Handle {
  /** As it is spelled in the share, whatever the client wrote. */
  readonly path: readonly string[];
  readonly stream: string | undefined;
  /** With the stream the file was created that it belongs to. */
  readonly isBaseNew: boolean;
  readonly opened: Inode;
  readonly action: "opened" | "created" | "overwritten" | "superseded";
  readonly access: Access;
  /** What access lists granted; undefined where they are not enforced. */
  readonly granted: Granted | undefined;
  /** Its client may be given a cache, unless somebody came since. */
  readonly isAlone: boolean;
  /** Waits until what was created or replaced is on the disk. */
  readonly durable: (() => Promise<void>) | undefined;
}

/** Throws SharingViolation, SMBDeletePending, TooManyOpenHandles, or what the path and the disposition throw. */
export async function openInode(files: FileService, request: OpenRequest): Promise<OpenedHandle> {
  refuseSnapshot(request.ref);
  let hasAsked = false;
  for (let tries = 0; tries < FILE_LIMITS.openRetriesMax; tries++) {
    const found = await files.parts.store.read((read) => look(read, request));
    const opened =
      found.inode === undefined
        ? await create(files, request, found)
        : await openFound(files, request, found, found.inode, hasAsked);
    if (opened !== BUSY && !("asked" in opened)) return opened;
    if (opened !== BUSY) {
      hasAsked = true;
      await areAnswered(files, { share: found.share.id, inode: opened.inode }, opened.asked);
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

async function create(
  files: FileService,
  request: OpenRequest,
  found: Found,
): Promise<OpenedHandle | Asked | typeof BUSY> {
  const { share, above, name, base, judged } = found;
  if (!mayCreate(request)) throw new Refusal("ResourceNotFound");
  if (base === undefined || base === "new") checkName(name);
  if (base !== undefined && request.kind === "directory") throw new Refusal("ResourceTypeMismatch");
  const { attributes = 0, kind = "file", isDeleteOnClose = false } = request;
  const isBaseReadOnly = isStored(base) && base.record.kind === "file" && isReadOnly(base.record);
  if (isDeleteOnClose && (isBaseReadOnly || (attributes & ATTRIBUTE.ReadOnly) !== 0))
    throw new Refusal("CannotDeleteFileOrDirectory");
  if (isBaseReadOnly && (request.access & WRITE) !== 0) throw new Refusal("ReadOnlyAttribute");
  if (judged === "denied") throw new Refusal("AuthorizationPermissionMismatch");
  const granted = judged;
  const access =
    granted === undefined ? request.access | (request.optionalAccess ?? 0) : usesOf(granted.access);
  const at = { share, above, inode: "new", base: idOf(base), kind, access, asked: access } as const;
  const placed = await placeHandle(files, placementOf(request, { ...at, hasAsked: true }));
  if (placed === BUSY || !("id" in placed)) return placed;
  return keepIf(files, request, found, placed, async () => {
    const inode = { share: share.id, inode: placed.inode, kind };
    const { value, durable } =
      placed.base === undefined
        ? await createInode(files, request, inode)
        : await createStream(files, request, {
            ...inode,
            base: placed.base,
            isBaseNew: base === "new",
            granted,
            isStillGranted: stillGranted(request, found),
          });
    return value && { record: value.record, granted: value.granted, action: "created", access, durable };
  });
}

/** As it is shown, but the attribute of a directory protects nothing that belongs to it. */
function checkedStream(base: InodeRecord, stream: InodeRecord): InodeRecord {
  const shown = shownStream(base, stream);
  return base.kind === "file" ? shown : { ...shown, attributes: shown.attributes & ~ATTRIBUTE.ReadOnly };
}

function idOf(base: Found["base"]): Placement["base"] {
  return isStored(base) ? base.id : base;
}

async function openFound(
  files: FileService,
  request: OpenRequest,
  found: Found,
  inode: Inode,
  hasAsked: boolean,
): Promise<OpenedHandle | Asked | typeof BUSY> {
  const { share, above, base, judged } = found;
  const { id } = inode;
  const record = isStored(base) ? checkedStream(base.record, inode.record) : inode.record;
  const optional = request.optionalAccess ?? 0;
  const isProtected = record.kind === "file" && isReadOnly(record);
  const granted = judged === "denied" ? undefined : judged;
  const access =
    granted === undefined
      ? request.access | (isProtected ? optional & ~WRITE : optional)
      : usesOf(granted.access);
  const isReplaced = isOverwriting(request);
  const replaced = isReplaced ? WRITE | (request.disposition === "supersede" ? DELETE : 0) : 0;
  const asked = access | replaced;
  const placed = await placeHandle(
    files,
    placementOf(
      request,
      { share, above, inode: id, base: idOf(base), kind: record.kind, access, asked, hasAsked },
      () => {
        checkExisting(request, record);
        if (judged === "denied") throw new Refusal("AuthorizationPermissionMismatch");
      },
    ),
  );
  if (placed === BUSY || !("id" in placed)) return placed;
  const isStillGranted = stillGranted(request, found);
  const check: StillGranted = (read, now) => {
    const isLeased = isLocked(leaseOf(now), read.now()) && !mayOpenLeased(access | replaced);
    const isCopied = now.copy?.status === "pending" && ((access | replaced) & WRITE) !== 0;
    if (isLeased || isCopied) throw new Refusal("SharingViolation");
    if (request.ignoresEas === true && now.needsEas === true)
      throw new Refusal("AuthorizationPermissionMismatch");
    return isStillGranted(read, now);
  };
  return keepIf(files, request, found, placed, async () => {
    if (placed.asked.length > 0 && !(await askOthersToClose(files, share.id, placed))) return undefined;
    if (isReplaced) {
      const target = { share: share.id, inode: id, check };
      const { value: after, durable } =
        placed.base === undefined
          ? await overwriteInode(files, request, target)
          : await overwriteStream(files, request, {
              share: share.id,
              inode: id,
              base: placed.base,
              isStillGranted,
            });
      const action = request.disposition === "supersede" ? "superseded" : "overwritten";
      return after && { record: after, granted, action, access, durable };
    }
    const at = { share: share.id, inode: id, base: placed.base };
    const now = await confirm(files, request.ref, at, placed.base === undefined ? check : isStillGranted);
    return now && { record: now, granted, action: "opened", access };
  });
}

/** Field by field, as everything on the way of an open: a spread of this size takes as long as reading a record. */
function placementOf(
  request: OpenRequest,
  at: Pick<Placement, "inode" | "base" | "kind" | "above" | "access" | "asked" | "hasAsked"> & {
    readonly share: ShareRecord;
  },
  check?: () => void,
): Placement {
  return {
    share: at.share.id,
    inode: at.inode,
    base: at.base,
    kind: at.kind,
    above: at.above,
    access: at.access,
    asked: at.asked,
    shareMode: request.share,
    isDeleteOnClose: request.isDeleteOnClose === true,
    mayCache: request.mayCache === true,
    session: request.session,
    clientAddress: request.clientAddress,
    clientName: request.clientName,
    hasAsked: at.hasAsked,
    check,
  };
}

/** What a node that is there says to the wishes of an open, share modes apart. */
function checkExisting(request: OpenRequest, record: InodeRecord): void {
  const { disposition, kind, access, attributes = 0 } = request;
  if (disposition === "create") throw new Refusal("ResourceAlreadyExists");
  if (kind !== undefined && kind !== record.kind) throw new Refusal("ResourceTypeMismatch");
  const isReplaced = isOverwriting(request);
  if (record.kind === "directory") {
    if (isReplaced) throw new Refusal("ResourceAlreadyExists");
    return;
  }
  const isWritten = isReplaced || (access & WRITE) !== 0;
  if (isReadOnly(record) && isWritten) throw new Refusal("ReadOnlyAttribute");
  if (isReadOnly(record) && request.isDeleteOnClose === true)
    throw new Refusal("CannotDeleteFileOrDirectory");
  // A hidden or system file is replaced only by one that says it is hidden or a system file too.
  const hidden = record.attributes & (ATTRIBUTE.Hidden | ATTRIBUTE.System) & ~attributes;
  if (isReplaced && hidden !== 0) throw new Refusal("AuthorizationPermissionMismatch");
}

interface Done {
  readonly record: InodeRecord;
  readonly action: OpenedHandle["action"];
  readonly access: Access;
  readonly granted: Granted | undefined;
  readonly durable?: () => Promise<void>;
}

/** False when the file is going, now that clients of other nodes have answered. */
async function askOthersToClose(files: FileService, share: bigint, placed: Placed): Promise<boolean> {
  const { inode, asked } = placed;
  if (!(await areAnswered(files, { share, inode }, asked))) throw new Refusal("SharingViolation");
  const pending = await files.parts.store.ephemeral.read((read) => read.get(deletePendingKey(share, inode)));
  return pending === undefined;
}

/** The handle stays if the rest is done; undefined from it means that the path leads elsewhere by now. */
async function keepIf(
  files: FileService,
  { ref }: OpenRequest,
  { share: { id: share }, path, stream, base: found }: Found,
  { inode, base, id, isAlone }: Placed,
  rest: () => Promise<Done | undefined>,
): Promise<OpenedHandle | typeof BUSY> {
  files.liveness?.placed();
  const handle = { ref: { account: ref.account, share: ref.share }, share, inode, id, base };
  let done: Done | undefined;
  try {
    done = await rest();
  } finally {
    // As a close: a deletion that somebody asked for meanwhile may have waited for this handle.
    if (done === undefined) await endHandle(files, handle, { isForced: true });
  }
  if (done === undefined) return BUSY;
  const { record, action, access, granted, durable } = done;
  const opened = { id: inode, record };
  return {
    ref: handle.ref,
    share,
    inode,
    id,
    base,
    path,
    stream,
    isBaseNew: found === "new",
    opened,
    action,
    access,
    granted,
    isAlone,
    durable,
  };
}

/** Whatever REST did before it could see the handle is visible now: deleted, or leased. */
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
