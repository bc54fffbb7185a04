import { Refusal } from "../../base/refusals.ts";
import { HANDLE_CACHE, NO_CACHE } from "../../concurrency/cache-lease.ts";
import { mayOpen, type Open as ShareModeOpen, usesOf, WRITE } from "../../concurrency/share-mode.ts";
import type { OpenFile } from "../../services/file/open-file.ts";
import { isOpenDenied } from "../../services/file/opens/find-target.ts";
import { openInode } from "../../services/file/opens/open-inode.ts";
import { type Disposition, isOverwriting, type OpenRequest } from "../../services/file/opens/open-request.ts";
import { findInodeAt, type InodeAtPath } from "../../services/file/opens/share-queries.ts";
import { printSddl } from "../../services/file/security/sddl.ts";
import { CONTROL, decodeSecurityDescriptor } from "../../services/file/security/security-descriptor.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { CacheEntry, OpenInode, OpenInodes } from "../session/caches.ts";
import { dropOpen } from "../session/end-open.ts";
import { infoOf } from "../session/file-info.ts";
import type { Open } from "../session/open.ts";
import type { PendingOpen } from "../session/pending-opens.ts";
import type { Share } from "../session/session.ts";
import { shownInfo } from "../session/write-times.ts";
import type { Reply, Request } from "../transport/request.ts";
import { withStatus } from "../transport/statuses.ts";
import { ACCESS, CREATE_OPTION, type CreateRequest, createRequest, DISPOSITION } from "../wire/create.ts";
import { type CreateContexts, readCreateContexts } from "../wire/create-contexts.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.ts";
import { decodeFullEas, type ExtendedAttribute } from "../wire/extended-attributes.ts";
import { ticksOfFileTime } from "../wire/filetime.ts";
import { OPLOCK } from "../wire/oplock-break.ts";
import { parsePath, type SmbPath } from "../wire/path.ts";
import { refuse, STATUS, StatusError } from "../wire/status.ts";
import { notifyStream, STREAM_EVENT } from "../wire/stream-names.ts";
import { textOf } from "../wire/text.ts";
import { checkCreate, kindOf } from "./create-checks.ts";
import { createReply, durabilityFor } from "./create-reply.ts";
import { openPipe } from "./open-pipe.ts";
import { cacheOfLevel } from "./oplock-break.ts";
import { reconnect, replay } from "./reconnect.ts";
import { isLeaseStatAccess, isStatAccess, type Rights, requestedRights } from "./rights.ts";

const WRITES = ACCESS.WRITE_DATA | ACCESS.APPEND_DATA;
const CHANGES =
  WRITES |
  ACCESS.WRITE_EA |
  ACCESS.WRITE_ATTRIBUTES |
  ACCESS.DELETE |
  ACCESS.DELETE_CHILD |
  ACCESS.WRITE_DAC |
  ACCESS.WRITE_OWNER;

const DISPOSITIONS: Readonly<Record<number, Disposition>> = {
  [DISPOSITION.SUPERSEDE]: "supersede",
  [DISPOSITION.OPEN]: "open",
  [DISPOSITION.CREATE]: "create",
  [DISPOSITION.OPEN_IF]: "openIf",
  [DISPOSITION.OVERWRITE]: "overwrite",
  [DISPOSITION.OVERWRITE_IF]: "overwriteIf",
};

/** A CREATE, decoded and checked. */
interface Creation {
  readonly body: CreateRequest;
  readonly contexts: CreateContexts;
  readonly path: SmbPath;
  readonly rights: Rights;
  readonly share: Share;
  readonly lease: CacheEntry["lease"];
  readonly request: OpenRequest;
}

interface Opened {
  readonly file: OpenFile;
  readonly pending: PendingOpen;
}

export async function create(request: Request): Promise<Reply> {
  const body = createRequest.decode(request.pdu);
  const { context, user } = request;
  request.chain.fileId = undefined;
  if (user.isAnonymous) throw refuse(STATUS.ACCESS_DENIED);
  if (user.connection.openCount >= SMB_LIMITS.opensPerConnectionMax)
    throw refuse(STATUS.TOO_MANY_OPENED_FILES);
  const { share } = request.tree!;
  if (share === undefined) return openPipe(request, textOf(body.name));
  const contexts = readCreateContexts(body.contexts);
  const again =
    (await reconnect(request, textOf(body.name), contexts)) ?? (await replay(request, body, contexts));
  if (again !== undefined) return again;
  // Rights that no client gets are refused before any other mistake.
  const rights = requestedRights(body.desiredAccess);
  checkCreate(body);
  const eas = decodeEas(body, contexts);
  if ((contexts.allocationSize ?? 0n) > BigInt(SMB_LIMITS.fileBytesMax)) throw refuse(STATUS.DISK_FULL);
  const path = parsePath(textOf(body.name), { hasStreams: context.hasStreams });
  const isRoot = path.names.length === 0 && path.stream === undefined;
  // A stream is content, also of a directory.
  if (isSet(body, "DIRECTORY_FILE") && (path.stream !== undefined || path.isContent))
    throw refuse(STATUS.NOT_A_DIRECTORY);
  if (isSet(body, "DELETE_ON_CLOSE") && isRoot) throw refuse(STATUS.ACCESS_DENIED);
  const creation: Creation = {
    body,
    contexts,
    share,
    path,
    rights,
    lease: leaseOf(request, body, contexts),
    request: openRequest(request, { body, contexts, path, rights, share, eas }),
  };
  const { durableV2 } = contexts;
  if (durableV2?.kind !== "request") return addOpen(request, creation, await openWhenFree(request, creation));
  const replayed = context.replays.begin(user.connection.clientGuid, durableV2.createGuid);
  try {
    await endOlderInstance(request, creation);
    const reply = await addOpen(request, creation, await openWhenFree(request, creation));
    replayed.opened(user.opens.get(request.chain.fileId!.volatile) as Open);
    return reply;
  } finally {
    replayed.end();
  }
}

const isSet = ({ createOptions }: CreateRequest, option: keyof typeof CREATE_OPTION): boolean =>
  (createOptions & CREATE_OPTION[option]) !== 0;

function leaseOf(request: Request, body: CreateRequest, { lease }: CreateContexts): CacheEntry["lease"] {
  if (body.requestedOplockLevel !== OPLOCK.LEASE || lease === undefined) return undefined;
  const { version, key, parentKey } = lease;
  const client = request.user.connection.clientGuid;
  return { client, key: Buffer.from(key), version, parentKey: Buffer.from(parentKey) };
}

function openRequest(
  { user }: Request,
  {
    body,
    contexts,
    path,
    rights,
    share,
    eas,
  }: Pick<Creation, "body" | "contexts" | "path" | "rights" | "share"> & {
    readonly eas: readonly ExtendedAttribute[] | undefined;
  },
): OpenRequest {
  const { securityDescriptor, allocationSize } = contexts;
  const snapshot = path.snapshot ?? contexts.snapshot;
  const { access } = rights;
  const optionalAccess = snapshot === undefined ? rights.optionalAccess : rights.optionalAccess & ~CHANGES;
  const { acls } = share;
  return {
    ref: {
      account: share.ref.account,
      share: share.ref.share,
      path: path.names,
      ...(snapshot === undefined ? {} : { snapshot: ticksOfFileTime(snapshot) }),
    },
    stream: path.stream,
    access: usesOf(access),
    optionalAccess: usesOf(optionalAccess),
    mayChange: (access & CHANGES) !== 0,
    shareMode: body.shareAccess,
    disposition: DISPOSITIONS[body.createDisposition]!,
    kind: kindOf(body.createOptions) ?? (path.isContent ? "file" : undefined),
    isDeleteOnClose: isSet(body, "DELETE_ON_CLOSE"),
    attributes: body.fileAttributes,
    allocationBytes: allocationSize === undefined ? undefined : Number(allocationSize),
    sddl: securityDescriptor === undefined ? undefined : decodeSddl(securityDescriptor),
    eas,
    ignoresEas: isSet(body, "NO_EA_KNOWLEDGE"),
    rights: acls && { acls, access, optionalAccess },
    mayCache: body.requestedOplockLevel !== OPLOCK.NONE,
    mayCommitAsync: !isSet(body, "WRITE_THROUGH"),
    session: user.id,
    clientAddress: user.connection.address,
    clientName: user.workstation,
  };
}

/** A client that declares no knowledge of extended attributes cannot set any. */
function decodeEas(
  body: CreateRequest,
  { extendedAttributes }: CreateContexts,
): readonly ExtendedAttribute[] | undefined {
  if (extendedAttributes === undefined || extendedAttributes.length === 0) return undefined;
  if (isSet(body, "NO_EA_KNOWLEDGE")) throw refuse(STATUS.ACCESS_DENIED);
  if (extendedAttributes.length > SMB_LIMITS.eaListBytesMax) throw refuse(STATUS.EA_TOO_LARGE);
  return decodeFullEas(extendedAttributes);
}

/** A descriptor without a DACL has no effect: the file gets the default. */
function decodeSddl(data: Buffer): string | undefined {
  const descriptor = decodeSecurityDescriptor(data);
  return (descriptor.control & CONTROL.DACL_PRESENT) === 0 ? undefined : printSddl(descriptor);
}

/** Opens after the conflicting caches have been broken. */
async function openWhenFree(request: Request, creation: Creation): Promise<Opened> {
  for (let isHandleBroken = false; ; ) {
    await breakForOpen(request, creation);
    try {
      return await openPending(request, creation);
    } catch (error) {
      const isSharing = error instanceof StatusError && error.status === STATUS.SHARING_VIOLATION;
      if (isHandleBroken || !isSharing) throw error;
      // The application may have closed the file, and only the client's cache keeps it open.
      isHandleBroken = true;
      const { inodes } = request.context;
      const found = await findCreated(request, creation);
      const wait = found && inodes.resolveWhole(creation.share.id, found, "sharing", isOwnLease(creation));
      if (wait === undefined) throw error;
      await request.wait(wait);
    }
  }
}

/** An open that has to wait for clients of other processes gets an interim reply. */
async function openPending(request: Request, { request: open }: Creation): Promise<Opened> {
  const { timers, files, pendingOpens } = request.context;
  const timer = timers.after(SMB_LIMITS.pendMillis, () => request.pendIfMay());
  const pending = pendingOpens.begin();
  try {
    const file = await withStatus(openInode(files, open), {
      ResourceTypeMismatch: open.kind === "directory" ? STATUS.NOT_A_DIRECTORY : STATUS.FILE_IS_A_DIRECTORY,
      ShareNotFound: STATUS.NETWORK_NAME_DELETED,
    });
    return { file, pending };
  } catch (error) {
    pending.fail();
    throw error;
  } finally {
    timer.cancel();
  }
}

const isOwnLease =
  ({ lease: own }: Creation) =>
  ({ lease }: CacheEntry): boolean => {
    if (own === undefined || lease === undefined) return false;
    return lease.key.equals(own.key) && lease.client.equals(own.client);
  };

/**
 * Whether share modes of opens in this process exclude a new open. The service, which sees the opens of all
 * processes, decides again.
 */
function isExcluded(inodes: OpenInodes, share: bigint, found: InodeAtPath, open: ShareModeOpen): boolean {
  const own = inodes.find(share, found.inode);
  const isStream = found.base !== undefined;
  const base = isStream ? inodes.find(share, found.base!) : undefined;
  const streams = isStream ? [] : [...inodes.streamsOf(share, found.inode)];
  return !(
    mayOpen(open, presentIn(own, false)) &&
    mayOpen({ ...open, isOfStream: isStream }, presentIn(base, false)) &&
    streams.every((stream) => mayOpen(open, presentIn(stream, true)))
  );
}

function presentIn(inode: OpenInode | undefined, isOfStream: boolean): readonly ShareModeOpen[] {
  const opens = [...(inode?.opens ?? [])];
  return opens.map(({ access, shareAccess }) => ({ access: usesOf(access), share: shareAccess, isOfStream }));
}

async function breakForOpen(request: Request, creation: Creation): Promise<void> {
  const { inodes, files } = request.context;
  // Most opens come while no client has a cache.
  if (!inodes.isAnyCached) return;
  const { share, rights, body, request: open } = creation;
  const found = await findCreated(request, creation);
  const inode = found && inodes.find(share.id, found.inode);
  if (creation.lease !== undefined) inodes.checkLease(creation.lease, inode);
  if (found === undefined || inode === undefined || inode.caches.size === 0 || inode.isDeletePending) return;
  if (await withStatus(isOpenDenied(files, open))) return;
  const isOverwritten = isOverwriting(open);
  const access = rights.access | rights.optionalAccess;
  const isOwn = isOwnLease(creation);
  const isStat = (entry: CacheEntry): boolean =>
    !isOverwritten && (entry.lease === undefined ? isStatAccess(access) : isLeaseStatAccess(access));
  // An open that will be refused breaks no write cache: only a handle that a cache keeps open could be closed
  // for it.
  const checked = { access: usesOf(access | (isOverwritten ? WRITES : 0)), share: body.shareAccess };
  const isRefused = isExcluded(inodes, share.id, found, checked);
  const conflict = isRefused ? "sharing" : isOverwritten ? "overwrite" : "open";
  const wait = inodes.resolve(inode, conflict, (entry) => isOwn(entry) || isStat(entry));
  if (wait !== undefined) await request.wait(wait);
}

/** The inode at the path, while any client has something open. */
async function findCreated(
  { context }: Request,
  { share, path }: Creation,
): Promise<InodeAtPath | undefined> {
  if (context.inodes.size === 0 || path.snapshot !== undefined) return undefined;
  try {
    return await findInodeAt(context.files, { ...share.ref, path: path.names }, path.stream);
  } catch (error) {
    // The open itself refuses a missing directory.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** An application that has moved to another machine does not need its opens on the first one. */
async function endOlderInstance(request: Request, creation: Creation): Promise<void> {
  const { appInstance } = creation.contexts;
  if (appInstance === undefined) return;
  const { context, user } = request;
  const found = await findCreated(request, creation);
  const inode = found && context.inodes.find(creation.share.id, found.inode);
  for (const open of inode?.opens ?? []) {
    if (open.appInstance?.equals(appInstance) !== true || open.session.account !== user.account) continue;
    await dropOpen(context, open);
  }
}

async function addOpen(request: Request, creation: Creation, { file, pending }: Opened): Promise<Reply> {
  const { context, user: session } = request;
  const { body, contexts } = creation;
  const { opened } = file;
  // No await from here to the grant: no other client comes in between.
  const mayCache = pending.end(file.share, file.inode) && opened.isAlone;
  const id = context.nextOpenId();
  const { record, reservedBytes } = opened;
  const info = infoOf(file, { record, reservedBytes, isDeletePending: false });
  const open: Open = {
    fileId: { persistent: id, volatile: id },
    tree: request.tree!,
    session,
    pipe: undefined,
    file,
    inode: undefined,
    path: opened.path,
    stream: opened.stream,
    access: grantedAccess(creation, file),
    maximalAccess: maximalAccess(file),
    shareAccess: body.shareAccess,
    createOptions: body.createOptions,
    isDeleteOnClose: isSet(body, "DELETE_ON_CLOSE"),
    position: 0n,
    eaPosition: 0,
    mode: body.createOptions & 0x103e,
    scan: undefined,
    scanning: Promise.resolve(),
    watch: undefined,
    cache: undefined,
    durability: undefined,
    lockSequences: new Map(),
    lockCount: 0,
    blockedLocks: new Set(),
    inFlight: new Set(),
    shownWriteTime: info.writtenAt,
    hasPendingWriteNotice: false,
    hasNotifiedWrite: false,
    isWriteTimeFrozen: false,
    appInstance: contexts.durableV2?.kind === "request" ? contexts.appInstance : undefined,
    createName: undefined,
    generation: { sequence: request.channelSequence, count: 0 },
    olderGenerations: new Set(),
  };
  if (session.state !== "valid" || !session.trees.has(open.tree.id)) {
    // The session ended meanwhile.
    await file.close();
    throw refuse(STATUS.USER_SESSION_DELETED);
  }
  session.addOpen(open);
  request.chain.fileId = open.fileId;
  const inode = context.inodes.add(file.share, open);
  if (file.kind === "file") grantCache(request, creation, open, inode, mayCache);
  notify(request, open);
  return createReply(open, shownInfo(open, info), contexts);
}

function grantedAccess({ rights }: Creation, { opened, ref }: OpenFile): number {
  if (opened.granted !== undefined) return opened.granted.access;
  const { access, optionalAccess } = rights;
  if (ref.snapshot !== undefined) return access | (optionalAccess & ~CHANGES);
  return access | ((opened.access & WRITE) === 0 ? optionalAccess & ~WRITES : optionalAccess);
}

function maximalAccess({ opened: { granted }, ref }: OpenFile): number {
  if (granted === undefined) return ACCESS.FILE_ALL;
  return ref.snapshot === undefined ? granted.maximal : granted.maximal & ~CHANGES;
}

function grantCache(
  { context }: Request,
  { body, contexts, lease }: Creation,
  open: Open,
  inode: OpenInode,
  mayCache: boolean,
): void {
  const level = body.requestedOplockLevel;
  const isLease = level === OPLOCK.LEASE;
  const state = isLease ? (lease === undefined ? NO_CACHE : contexts.lease!.state) : cacheOfLevel(level);
  const isStat = isLease ? isLeaseStatAccess : isStatAccess;
  // An open of an existing file that reads only attributes gets no oplock.
  const isOnlyStat = isStatAccess(open.access) && open.file.opened.action === "opened";
  const requested = !mayCache || (!isLease && isOnlyStat) ? NO_CACHE : (state ?? NO_CACHE);
  if (requested !== NO_CACHE || lease !== undefined) {
    const epoch = contexts.lease?.epoch ?? 0;
    open.cache = context.inodes.grant(inode, open, { requested, lease, epoch, isStat });
  }
  if (open.cache !== undefined && (open.cache.state & HANDLE_CACHE) !== 0)
    open.durability = durabilityFor(contexts);
}

function notify({ context: { changes } }: Request, open: Open): void {
  const { path, file } = open;
  const { action, isBaseNew } = file.opened;
  const added = { path, action: NOTIFY_ACTION.ADDED, filter: NOTIFY_FILTER.FILE_NAME };
  if (open.stream !== undefined) {
    if (isBaseNew) changes.notify(file.share, [added]);
    if (action === "created") notifyStream(changes, open, STREAM_EVENT.ADDED);
    else if (action !== "opened") notifyStream(changes, open, STREAM_EVENT.WRITTEN);
  } else if (action === "created") {
    const filter = file.kind === "directory" ? NOTIFY_FILTER.DIR_NAME : NOTIFY_FILTER.FILE_NAME;
    changes.notify(file.share, [{ ...added, filter }]);
  } else if (action !== "opened") {
    const filter = NOTIFY_FILTER.ATTRIBUTES | NOTIFY_FILTER.SIZE | NOTIFY_FILTER.LAST_WRITE;
    changes.notify(file.share, [{ path, action: NOTIFY_ACTION.MODIFIED, filter }]);
  }
}
