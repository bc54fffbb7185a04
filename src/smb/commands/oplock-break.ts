import { type CacheState, HANDLE_CACHE, READ_CACHE, WRITE_CACHE } from "../../concurrency/cache-lease.ts";
import type { SmbContext } from "../context.ts";
import type { CacheEntry } from "../session/caches.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { COMMAND, FLAG, NO_MESSAGE_ID, writeHeader } from "../wire/header.ts";
import { HEADER_BYTES } from "../wire/layout.ts";
import {
  LEASE_BREAK_ACK_REQUIRED,
  leaseBreak,
  leaseBreakNotification,
  OPLOCK,
  oplockBreak,
} from "../wire/oplock-break.ts";
import { refuse, STATUS } from "../wire/status.ts";

/** Oplock levels and the caches they stand for. */
const LEVELS: readonly (readonly [number, CacheState])[] = [
  [OPLOCK.NONE, 0],
  [OPLOCK.LEVEL_II, READ_CACHE],
  [OPLOCK.EXCLUSIVE, READ_CACHE | WRITE_CACHE],
  [OPLOCK.BATCH, READ_CACHE | HANDLE_CACHE | WRITE_CACHE],
];

export function cacheOfLevel(level: number): CacheState | undefined {
  return LEVELS.find(([candidate]) => candidate === level)?.[1];
}

export function levelOfCache(state: CacheState): number {
  return LEVELS.find(([, cache]) => cache === state)?.[0] ?? OPLOCK.NONE;
}

/** Notifies the holder of a cache. When no connection reaches it, its durable opens end. */
export function sendBreak(
  context: SmbContext,
  entry: CacheEntry,
  to: CacheState,
  isAnswerNeeded: boolean,
): void {
  const opens = [...entry.opens];
  const reachable = opens.find(
    (open) => open.session.reachable !== undefined && !context.durables.isKept(open),
  );
  if (reachable === undefined) {
    for (const open of opens) void context.durables.drop(open);
    return;
  }
  const body =
    entry.lease === undefined
      ? // No oplock level caches a handle without writes: it breaks to level II or to none.
        oplockBreak.encode({ oplockLevel: levelOfCache(to & READ_CACHE), fileId: reachable.fileId })
      : leaseBreakNotification.encode({
          newEpoch: entry.lease.version === 2 ? entry.epoch : 0,
          flags: isAnswerNeeded ? LEASE_BREAK_ACK_REQUIRED : 0,
          leaseKey: entry.lease.key,
          currentState: entry.state,
          newState: to,
        });
  const pdu = Buffer.alloc(HEADER_BYTES + body.length);
  writeHeader(pdu, {
    creditCharge: 0,
    status: STATUS.SUCCESS,
    command: COMMAND.OPLOCK_BREAK,
    credits: 0,
    flags: FLAG.RESPONSE,
    nextCommand: 0,
    messageId: NO_MESSAGE_ID,
    asyncId: 0n,
    processId: 0,
    treeId: 0,
    sessionId: 0n,
  });
  pdu.set(body, HEADER_BYTES);
  const { session } = reachable;
  const connection = entry.lease === undefined ? session.reachable! : context.channelOf(entry.lease.client);
  const encryptFor = connection?.sessions.has(session.id)
    ? session
    : [...(connection?.sessions.values() ?? [])][0];
  connection?.write([pdu], encryptFor?.usesEncryption ? encryptFor : undefined);
}

/** The client's answer to a break. The size distinguishes a lease from an oplock. */
export function oplockBreakAcknowledgement(request: Request): Reply {
  const { pdu } = request;
  const { inodes } = request.context;
  const size = pdu.length < HEADER_BYTES + 2 ? 0 : pdu.readUInt16LE(HEADER_BYTES);
  if (size === leaseBreak.size) {
    const { leaseKey, leaseState } = leaseBreak.decode(pdu);
    const entry = inodes.findLease({ client: request.user.connection.clientGuid, key: leaseKey });
    if (entry === undefined) throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
    inodes.acknowledge(entry, leaseState);
    return success(leaseBreak.encode({ flags: 0, leaseKey, leaseState: entry.state, leaseDuration: 0n }));
  }
  const { oplockLevel, fileId } = oplockBreak.decode(pdu);
  request.tree = request.user.trees.get(request.header.treeId);
  const { cache } = request.file(fileId);
  if (cache === undefined) throw refuse(STATUS.INVALID_OPLOCK_PROTOCOL);
  if (cache.lease !== undefined) throw refuse(STATUS.INVALID_DEVICE_STATE);
  if (oplockLevel !== OPLOCK.NONE && oplockLevel !== OPLOCK.LEVEL_II) {
    if (cache.breaking !== undefined) inodes.acknowledge(cache, 0);
    throw refuse(
      cacheOfLevel(oplockLevel) === undefined ? STATUS.INVALID_PARAMETER : STATUS.INVALID_OPLOCK_PROTOCOL,
    );
  }
  inodes.acknowledge(cache, cacheOfLevel(oplockLevel)!);
  return success(oplockBreak.encode({ oplockLevel, fileId }));
}
