import { readInfo } from "../session/file-info.ts";
import type { Reply, Request } from "../transport/request.ts";
import { BY_HANDLE, withStatus } from "../transport/statuses.ts";
import { CREATE_ACTION, type CreateRequest } from "../wire/create.ts";
import type { CreateContexts } from "../wire/create-contexts.ts";
import { OPLOCK } from "../wire/oplock-break.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { createReply } from "./create-reply.ts";

/** A CREATE that reconnects to a durable open after a lost connection; undefined for other requests. */
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
  const { context, user: session } = request;
  const { clientGuid } = session.connection;
  const open = context.durables.claim({
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
  open.fileId = { persistent: open.fileId.persistent, volatile: context.nextOpenId() };
  session.addOpen(open);
  request.chain.fileId = open.fileId;
  const info = await withStatus(readInfo(open.file), BY_HANDLE);
  return createReply(open, info, contexts, { action: CREATE_ACTION.opened });
}

/** A CREATE that the client sends again because it lost the reply: the open it made is reported once more. */
export async function replay(
  request: Request,
  { requestedOplockLevel }: CreateRequest,
  contexts: CreateContexts,
): Promise<Reply | undefined> {
  const { durableV2, lease } = contexts;
  if (durableV2?.kind !== "request") return undefined;
  const { context, user: session } = request;
  const { clientGuid } = session.connection;
  const open = context.replays.find(clientGuid, durableV2.createGuid, request.isReplay);
  if (open === undefined) return undefined;
  const own = open.cache?.lease;
  const isLease = requestedOplockLevel === OPLOCK.LEASE && lease !== undefined;
  const isSameLease = own === undefined ? !isLease : isLease && own.key.equals(lease.key);
  if (open.session.account !== session.account || !isSameLease) throw refuse(STATUS.ACCESS_DENIED);
  // Only the same session can use the handle; after a lost session the client reconnects (DH2C).
  if (open.session !== session) throw refuse(STATUS.DUPLICATE_OBJECTID);
  request.chain.fileId = open.fileId;
  const info = await withStatus(readInfo(open.file), BY_HANDLE);
  // The reply has the level of this request, whatever the open has; durability depends on the level.
  return createReply(open, info, contexts, isLease ? {} : { level: requestedOplockLevel });
}
