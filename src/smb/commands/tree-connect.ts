import { findShare } from "../../services/file/shares.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Share } from "../session/session.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { emptyBody } from "../wire/session-setup.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { textOf } from "../wire/text.ts";
import { SHARE_FLAG, SHARE_TYPE, treeConnectRequest, treeConnectResponse } from "../wire/tree-connect.ts";

const PIPES = "IPC$";
/** The value of Samba. */
const PIPE_ACCESS = 0x1f_00a9;

/** `\\server\share`: the session's account decides, whatever name the client has for the server. */
export async function treeConnect(request: Request): Promise<Reply> {
  const session = request.user;
  if (session.isAnonymous) throw refuse(STATUS.ACCESS_DENIED);
  const path = textOf(treeConnectRequest.decode(request.pdu).path);
  const found = /^\\\\[^\\]+\\([^\\]+)$/.exec(path);
  if (found === null || !path.isWellFormed()) throw refuse(STATUS.BAD_NETWORK_NAME);
  const name = found[1]!;
  if (session.trees.size >= SMB_LIMITS.treesPerSessionMax) throw refuse(STATUS.INSUFFICIENT_RESOURCES);
  const isPipes = name.toUpperCase() === PIPES;
  const share = isPipes ? undefined : await findSmbShare(request, name);
  if (session.state !== "valid") throw refuse(STATUS.USER_SESSION_DELETED);
  request.tree = session.addTree((id) => ({ id, session, share }));
  return success(
    treeConnectResponse.encode({
      shareType: isPipes ? SHARE_TYPE.PIPE : SHARE_TYPE.DISK,
      shareFlags: session.isEncryptionDemanded && !isPipes ? SHARE_FLAG.ENCRYPT_DATA : 0,
      capabilities: 0,
      maximalAccess: isPipes ? PIPE_ACCESS : ACCESS.FILE_ALL,
    }),
  );
}

/** Names of shares have no capital letters, whatever a client writes. */
async function findSmbShare({ context, user: { account } }: Request, name: string): Promise<Share> {
  const ref = { account, share: name.toLowerCase() };
  const record = await context.files.parts.store.read((read) => findShare(read, ref));
  if (record?.settings.protocols !== "SMB") throw refuse(STATUS.BAD_NETWORK_NAME);
  return { ref, id: record.id, acls: context.aclsOf(account) };
}

export async function treeDisconnect(request: Request): Promise<Reply> {
  emptyBody.decode(request.pdu);
  await request.context.endTree(request.tree!);
  return success(emptyBody.encode({}));
}
