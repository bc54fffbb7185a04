import { Refusal } from "../../base/refusals.ts";
import { HANDLE_CACHE, NO_CACHE } from "../../concurrency/cache-lease.ts";
import { mayOpen, type Open as ShareModeOpen, usesOf } from "../../concurrency/share-mode.ts";
import { printSddl } from "../../services/file/security/sddl.ts";
import { CONTROL, decodeSecurityDescriptor } from "../../services/file/security/security-descriptor.ts";
import type { FoundInode, Opened, Share } from "../file-system.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { CacheEntry, OpenInode, OpenInodes } from "../session/caches.ts";
import { closeOpen } from "../session/end-open.ts";
import type { FileOpen } from "../session/open.ts";
import { shownInfo } from "../session/write-times.ts";
import type { Reply, Request } from "../transport/request.ts";
import {
  ACCESS,
  CREATE_ACTION,
  CREATE_OPTION,
  type CreateRequest,
  createRequest,
  DISPOSITION,
} from "../wire/create.ts";
import { type CreateContexts, readCreateContexts } from "../wire/create-contexts.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.ts";
import { decodeFullEas, type ExtendedAttribute } from "../wire/extended-attributes.ts";
import { OPLOCK } from "../wire/oplock-break.ts";
import { parsePath, type SmbPath } from "../wire/path.ts";
import { refuse, STATUS, StatusError } from "../wire/status.ts";
import { notifyStream, STREAM_EVENT } from "../wire/stream-names.ts";
import { textOf } from "../wire/text.ts";
import { checkCreate, kindWanted } from "./create-checks.ts";
import { createReply, durabilityFor } from "./create-reply.ts";
import { openPipe } from "./open-pipe.ts";
import { cacheOfLevel } from "./oplock-break.ts";
import { reconnect, replay } from "./reconnect.ts";
import { isLeaseStatAccess, isStatAccess, type Rights, wantedRights } from "./rights.ts";

/** Everything one CREATE wants, decoded and checked. */
interface Wanted {
  readonly body: CreateRequest;
  readonly contexts: CreateContexts;
  readonly path: SmbPath;
  readonly rights: Rights;
  readonly share: Share;
  readonly extendedAttributes: readonly ExtendedAttribute[] | undefined;
  readonly lease: CacheEntry["lease"];
}

export async function create(request: Request): Promise<Reply> {
  const body = createRequest.decode(request.pdu);
  const { tree } = request;
  request.chain.fileId = undefined;
  if (request.user.isAnonymous) throw refuse(STATUS.ACCESS_DENIED);
  if (request.user.connection.openCount >= SMB_LIMITS.opensPerConnectionMax)
    throw refuse(STATUS.TOO_MANY_OPENED_FILES);
  const { share } = tree!;
  if (share === undefined) return openPipe(request, textOf(body.name));
  const contexts = readCreateContexts(body.contexts);
  const again =
    (await reconnect(request, textOf(body.name), contexts)) ?? (await replay(request, body, contexts));
  if (again !== undefined) return again;
  // Rights that nobody has are refused before anything else that may be wrong.
  const rights = wantedRights(body.desiredAccess);
  checkCreate(body);
  const extendedAttributes = givenEas(body, contexts);
  if ((contexts.allocationSize ?? 0n) > BigInt(SMB_LIMITS.fileBytesMax)) throw refuse(STATUS.DISK_FULL);
  const path = parsePath(textOf(body.name), { hasStreams: share.keepsStreams === true });
  const isDeleteOnClose = (body.createOptions & CREATE_OPTION.DELETE_ON_CLOSE) !== 0;
  const isRoot = path.names.length === 0 && path.stream === undefined;
  const isDirectory = (body.createOptions & CREATE_OPTION.DIRECTORY_FILE) !== 0;
  // A stream is content, whatever it belongs to.
  if (isDirectory && (path.stream !== undefined || path.isContent)) throw refuse(STATUS.NOT_A_DIRECTORY);
  if (isDeleteOnClose && isRoot) throw refuse(STATUS.ACCESS_DENIED);
  const wanted: Wanted = {
    body,
    contexts,
    share,
    path,
    rights,
    extendedAttributes,
    lease: leaseOf(request, body, contexts),
  };
  const { durableV2 } = contexts;
  if (durableV2?.kind !== "request") return keep(request, wanted, await openWhenFree(request, wanted));
  const { replays } = request.connection.server;
  const creation = replays.begin(request.user.connection.clientGuid, durableV2.createGuid);
  try {
    await endOlderInstance(request, wanted);
    const reply = await keep(request, wanted, await openWhenFree(request, wanted));
    creation.opened(request.user.opens.get(request.chain.fileId!.volatile) as FileOpen);
    return reply;
  } finally {
    creation.end();
  }
}

function leaseOf(request: Request, body: CreateRequest, { lease }: CreateContexts): CacheEntry["lease"] {
  if (body.requestedOplockLevel !== OPLOCK.LEASE || lease === undefined) return undefined;
  const { version, key, parentKey } = lease;
  const client = request.user.connection.clientGuid;
  return { client, key: Buffer.from(key), version, parentKey: Buffer.from(parentKey) };
}

/** Opens, after the caches that stand in the way have been given up. */
async function openWhenFree(request: Request, wanted: Wanted): Promise<Opened> {
  for (let isHandleAsked = false; ; ) {
    await breakForOpen(request, wanted);
    try {
      return await openPatiently(request, wanted);
    } catch (error) {
      if (isHandleAsked || !isSharingViolation(error)) throw error;
      // The application may have closed the file, and only the client's cache still has it open.
      isHandleAsked = true;
      const { inodes } = request.connection.server;
      const found = await findWanted(request, wanted);
      const wait = found && inodes.resolveWhole(wanted.share.id, found, "sharing", exceptOwn(wanted));
      if (wait === undefined) throw error;
      await request.wait(wait, () => {});
    }
  }
}

/** Clients of other nodes may have to be asked, and take their time. */
async function openPatiently(request: Request, wanted: Wanted): Promise<Opened> {
  const timer = request.connection.server.timers.after(SMB_LIMITS.pendMillis, () => request.pendIfMay());
  try {
    return await wanted.share.open(openRequest(request, wanted));
  } finally {
    timer.cancel();
  }
}

function isSharingViolation(error: unknown): boolean {
  const status =
    error instanceof StatusError ? error.status : error instanceof Refusal ? error.row.smb : undefined;
  return status === STATUS.SHARING_VIOLATION;
}

const exceptOwn =
  ({ lease: own }: Wanted) =>
  ({ lease }: CacheEntry): boolean => {
    if (own === undefined || lease === undefined) return false;
    return lease.key.equals(own.key) && lease.client.equals(own.client);
  };

/**
 * Whether the share modes of what SMB clients of this process have open keep a new open out. The service, which sees
 * the clients of all processes, decides again when it opens.
 */
function isExcluded(inodes: OpenInodes, share: bigint, found: FoundInode, wanted: ShareModeOpen): boolean {
  const own = inodes.find(share, found.inode);
  const isStream = found.base !== undefined;
  const base = isStream ? inodes.find(share, found.base!) : undefined;
  const streams = isStream ? [] : [...inodes.streamsOf(share, found.inode)];
  return !(
    mayOpen(wanted, presentIn(own, false)) &&
    mayOpen({ ...wanted, isOfStream: isStream }, presentIn(base, false)) &&
    streams.every((stream) => mayOpen(wanted, presentIn(stream, true)))
  );
}

function presentIn(inode: OpenInode | undefined, isOfStream: boolean): readonly ShareModeOpen[] {
  const opens = [...(inode?.opens ?? [])];
  return opens.map(({ access, shareAccess }) => ({ access: usesOf(access), share: shareAccess, isOfStream }));
}

const OVERWRITE_ACCESS = ACCESS.WRITE_DATA;
const OVERWRITING: readonly number[] = [
  DISPOSITION.SUPERSEDE,
  DISPOSITION.OVERWRITE,
  DISPOSITION.OVERWRITE_IF,
];

async function breakForOpen(request: Request, wanted: Wanted): Promise<void> {
  const { inodes } = request.connection.server;
  // Only caches are in the way here, and most opens are made while nobody has any.
  if (!inodes.isAnyCached) return;
  const found = await findWanted(request, wanted);
  const inode = found && inodes.find(wanted.share.id, found.inode);
  if (wanted.lease !== undefined) inodes.checkLease(wanted.lease, inode);
  if (found === undefined || inode === undefined || inode.caches.size === 0 || inode.isDeletePending) return;
  const denial = wanted.share.isDenied?.(openRequest(request, wanted));
  if (denial !== undefined && (await denial)) return;
  const { rights, body } = wanted;
  const isOverwriting = OVERWRITING.includes(body.createDisposition);
  const access = rights.access | rights.optionalAccess;
  const isOwn = exceptOwn(wanted);
  const isStat = (entry: CacheEntry): boolean =>
    !isOverwriting && (entry.lease === undefined ? isStatAccess(access) : isLeaseStatAccess(access));
  // An open that will be refused takes nobody's writes away: only a handle that is merely kept could make room.
  const overwritten = isOverwriting ? OVERWRITE_ACCESS : 0;
  const asked = { access: usesOf(access | overwritten), share: body.shareAccess };
  const isKeptOut = isExcluded(inodes, wanted.share.id, found, asked);
  const conflict = isKeptOut ? "sharing" : isOverwriting ? "overwrite" : "open";
  const wait = inodes.resolve(inode, conflict, (entry) => isOwn(entry) || isStat(entry));
  if (wait !== undefined) await request.wait(wait, () => {});
}

/** What others have open at the path. */
async function inodeOf(request: Request, wanted: Wanted): Promise<OpenInode | undefined> {
  const found = await findWanted(request, wanted);
  return found && request.connection.server.inodes.find(wanted.share.id, found.inode);
}

/** What is at the path; nobody asks the file system while nobody has anything open. */
async function findWanted(request: Request, { share, path }: Wanted): Promise<FoundInode | undefined> {
  if (request.connection.server.inodes.size === 0 || path.snapshot !== undefined) return undefined;
  try {
    return await share.find(path.names, path.stream);
  } catch (error) {
    // A missing directory is found again, and answered, by the open itself.
    if (error instanceof StatusError || error instanceof Refusal) return undefined;
    throw error;
  }
}

function openRequest(request: Request, { body, contexts, path, rights, extendedAttributes }: Wanted) {
  const session = request.user;
  const security = contexts.securityDescriptor;
  return {
    path: path.names,
    stream: path.stream,
    snapshot: path.snapshot ?? contexts.snapshot,
    access: rights.access,
    optionalAccess: rights.optionalAccess,
    share: body.shareAccess,
    disposition: body.createDisposition,
    kind: kindWanted(body.createOptions) ?? (path.isContent ? ("file" as const) : undefined),
    isWriteThrough: (body.createOptions & CREATE_OPTION.WRITE_THROUGH) !== 0,
    isDeleteOnClose: (body.createOptions & CREATE_OPTION.DELETE_ON_CLOSE) !== 0,
    attributes: body.fileAttributes,
    allocationSize: contexts.allocationSize === undefined ? undefined : Number(contexts.allocationSize),
    security: security === undefined ? undefined : givenSecurity(security),
    extendedAttributes,
    ignoresExtendedAttributes: (body.createOptions & CREATE_OPTION.NO_EA_KNOWLEDGE) !== 0,
    mayCache: body.requestedOplockLevel !== OPLOCK.NONE,
    client: { session: session.id, address: session.connection.address, name: session.workstation },
  };
}

/** An application that has moved to another machine has no use for what it had open on the first one. */
async function endOlderInstance(request: Request, wanted: Wanted): Promise<void> {
  const { appInstance } = wanted.contexts;
  if (appInstance === undefined) return;
  const { server } = request.connection;
  const { account } = request.user;
  for (const open of (await inodeOf(request, wanted))?.opens ?? []) {
    if (open.appInstance?.equals(appInstance) !== true || open.session.account !== account) continue;
    if (open.session.opens.delete(open.fileId.volatile)) open.session.connection.openCount--;
    if (server.durables.isKept(open)) await server.durables.drop(open);
    else await closeOpen(server, open);
  }
}

/** Who says that it knows nothing of extended attributes cannot give any. */
function givenEas(
  { createOptions }: CreateRequest,
  { extendedAttributes }: CreateContexts,
): readonly ExtendedAttribute[] | undefined {
  if (extendedAttributes === undefined || extendedAttributes.length === 0) return undefined;
  if ((createOptions & CREATE_OPTION.NO_EA_KNOWLEDGE) !== 0) throw refuse(STATUS.ACCESS_DENIED);
  if (extendedAttributes.length > SMB_LIMITS.eaListBytesMax) throw refuse(STATUS.EA_TOO_LARGE);
  return decodeFullEas(extendedAttributes);
}

/** A descriptor without an access list says nothing: the file gets what one without a descriptor gets. */
function givenSecurity(data: Buffer): string | undefined {
  const given = decodeSecurityDescriptor(data);
  return (given.control & CONTROL.DACL_PRESENT) === 0 ? undefined : printSddl(given);
}

async function keep(request: Request, wanted: Wanted, opened: Opened): Promise<Reply> {
  const session = request.user;
  const { server } = request.connection;
  const { body, contexts, path, share, lease } = wanted;
  const { durableV2 } = contexts;
  // From here to the grant nothing is awaited: nobody comes in between.
  const mayCache = opened.mayCacheNow?.() ?? true;
  const id = server.nextOpenId();
  const open: FileOpen = {
    fileId: { persistent: id, volatile: id },
    tree: request.tree!,
    session,
    pipe: undefined,
    file: opened.handle,
    inode: undefined,
    path: opened.path ?? path.names,
    stream: opened.stream,
    access: opened.access,
    maximalAccess: opened.maximalAccess ?? ACCESS.FILE_ALL,
    shareAccess: body.shareAccess,
    createOptions: body.createOptions,
    isDeleteOnClose: (body.createOptions & CREATE_OPTION.DELETE_ON_CLOSE) !== 0,
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
    hasWritten: false,
    shownWriteTime: opened.info.writtenAt,
    hasPendingWriteNotice: false,
    hasNotifiedWrite: false,
    isWriteTimeFrozen: false,
    action: opened.action,
    appInstance: durableV2?.kind === "request" ? contexts.appInstance : undefined,
    createName: undefined,
    generation: { sequence: request.channelSequence, count: 0 },
    olderGenerations: new Set(),
  };
  if (session.state !== "valid" || !session.trees.has(open.tree.id)) {
    // The session ended while the file was being opened.
    await opened.handle.close();
    throw refuse(STATUS.USER_SESSION_DELETED);
  }
  session.opens.set(id, open);
  session.connection.openCount++;
  request.chain.fileId = open.fileId;
  const inode = server.inodes.add(share.id, open);
  if (opened.info.kind === "file") {
    const isLease = body.requestedOplockLevel === OPLOCK.LEASE;
    const state = isLease
      ? lease === undefined
        ? NO_CACHE
        : contexts.lease!.state
      : cacheOfLevel(body.requestedOplockLevel);
    const isStat = isLease ? isLeaseStatAccess : isStatAccess;
    // Who only looks at a file that was there gets no oplock: nothing it could do would need one.
    const isLooking = isStatAccess(open.access) && opened.action === CREATE_ACTION.OPENED;
    const request = !mayCache || (!isLease && isLooking) ? NO_CACHE : (state ?? NO_CACHE);
    if (request !== NO_CACHE || lease !== undefined) {
      const epoch = contexts.lease?.epoch ?? 0;
      open.cache = server.inodes.grant(inode, open, { wanted: request, lease, epoch, isStat });
    }
    if (open.cache !== undefined && (open.cache.state & HANDLE_CACHE) !== 0)
      open.durability = durabilityFor(contexts);
  }
  notify(request, open, opened);
  const info = shownInfo(open, opened.info);
  return createReply(open, { action: opened.action, info }, contexts);
}

const ADDED_FILE = { action: NOTIFY_ACTION.ADDED, filter: NOTIFY_FILTER.FILE_NAME };

function notify(request: Request, open: FileOpen, { action, isBaseNew }: Opened): void {
  const { changes } = request.connection.server;
  const share = open.tree.share!.id;
  const { path } = open;
  if (open.stream !== undefined) {
    if (isBaseNew === true) changes.notify(share, [{ path, ...ADDED_FILE }]);
    if (action === CREATE_ACTION.CREATED) notifyStream(changes, open, STREAM_EVENT.ADDED);
    else if (action !== CREATE_ACTION.OPENED) notifyStream(changes, open, STREAM_EVENT.WRITTEN);
    return;
  }
  if (action === CREATE_ACTION.CREATED) {
    const filter = open.file.kind === "directory" ? NOTIFY_FILTER.DIR_NAME : NOTIFY_FILTER.FILE_NAME;
    changes.notify(share, [{ path, action: NOTIFY_ACTION.ADDED, filter }]);
  } else if (action !== CREATE_ACTION.OPENED) {
    const filter = NOTIFY_FILTER.ATTRIBUTES | NOTIFY_FILTER.SIZE | NOTIFY_FILTER.LAST_WRITE;
    changes.notify(share, [{ path, action: NOTIFY_ACTION.MODIFIED, filter }]);
  }
}
