import type { Reply, Request } from "../transport/request.ts";
import { CREATE_ACTION, type CreateRequest } from "../wire/create.ts";
import type { CreateContexts } from "../wire/create-contexts.ts";
import { OPLOCK } from "../wire/oplock-break.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { createReply } from "./create-reply.ts";

/** A CREATE that takes back a durable open after a lost connection; undefined for every other one. */
export async function reconnect(
  request: Request,
  name: string,
  contexts: CreateContexts,
): Promise<Reply | undefined> {
  const { durableV1, durableV2, lease } = contexts;
  const v1 = durableV1 === undefined || durableV1 === "request" ? undefined : durableV1;
  const v2 = durableV2?.kind === "reconnect" ? durableV2 : undefined;
  if (durableV1 !== undefined && durableV2 !== undefined) throw refuse(STATUS.INVALID_PARAMETER);
  if (v1 === undefined && v2 === undefined) return undefined;
  const session = request.user;
  const { server, clientGuid } = session.connection;
  const open = server.durables.claim({
    persistent: (v1 ?? v2!.fileId).persistent,
    account: session.account,
    clientGuid,
    createGuid: v2?.createGuid,
    leaseKey: lease?.key,
    name,
  });
  if (open === undefined) throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
  open.session = session;
  open.tree = request.tree!;
  open.fileId = { persistent: open.fileId.persistent, volatile: server.nextOpenId() };
  session.opens.set(open.fileId.volatile, open);
  session.connection.openCount++;
  request.chain.fileId = open.fileId;
  const info = await open.file.info();
  return createReply(open, { action: CREATE_ACTION.OPENED, info }, contexts);
}

/** A CREATE that was sent again, because its answer was lost: the open it made answers once more. */
export async function replay(
  request: Request,
  { requestedOplockLevel }: CreateRequest,
  contexts: CreateContexts,
): Promise<Reply | undefined> {
  const { durableV2, lease } = contexts;
  if (durableV2?.kind !== "request") return undefined;
  const session = request.user;
  const { server, clientGuid } = session.connection;
  const open = server.replays.find(clientGuid, durableV2.createGuid, request.isReplay);
  if (open === undefined) return undefined;
  const own = open.cache?.lease;
  const isLease = requestedOplockLevel === OPLOCK.LEASE && lease !== undefined;
  const isSameLease = own === undefined ? !isLease : isLease && own.key.equals(lease.key);
  if (open.session.account !== session.account || !isSameLease) throw refuse(STATUS.ACCESS_DENIED);
  // Only who still has the session can use the handle; after a lost one it has to be taken back (DH2C).
  if (open.session !== session) throw refuse(STATUS.DUPLICATE_OBJECTID);
  request.chain.fileId = open.fileId;
  const info = await open.file.info();
  // The level is told as it was asked for now, whatever the open holds; a promise goes with the level.
  const told = isLease ? undefined : requestedOplockLevel;
  return createReply(open, { action: open.action, info }, contexts, told);
}
