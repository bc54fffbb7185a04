import { refuse, STATUS } from "../status.js";
import { CREATE_ACTION } from "../wire/create.js";
import { createReply } from "./create-reply.js";
/** A CREATE that takes back a durable open after a lost connection; undefined for every other one. */
export async function reconnect(request, name, contexts) {
    const { durableV1, durableV2, lease } = contexts;
    const v1 = durableV1 === undefined || durableV1 === "request" ? undefined : durableV1;
    const v2 = durableV2?.kind === "reconnect" ? durableV2 : undefined;
    if (durableV1 !== undefined && durableV2 !== undefined)
        throw refuse(STATUS.INVALID_PARAMETER);
    if (v1 === undefined && v2 === undefined)
        return undefined;
    const session = request.user;
    const { server, clientGuid } = request.connection;
    const open = server.durables.claim({
        persistent: (v1 ?? v2.fileId).persistent,
        account: session.account,
        clientGuid,
        createGuid: v2?.createGuid,
        leaseKey: lease?.key,
        name,
    });
    if (open === undefined)
        throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
    open.session = session;
    open.tree = request.tree;
    open.fileId = { persistent: open.fileId.persistent, volatile: server.nextOpenId() };
    session.opens.set(open.fileId.volatile, open);
    request.connection.openCount++;
    request.chain.fileId = open.fileId;
    const info = await open.file.info();
    return createReply(open, { action: CREATE_ACTION.OPENED, info }, contexts);
}
