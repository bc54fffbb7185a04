import { COMMANDS } from "../commands/table.ts";
import { isSignatureValid } from "../crypto/signing.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Session } from "../session/session.ts";
import { COMMAND, decodeHeader, encodeError, FLAG, type Header, splitCompound } from "../wire/header.ts";
import { ProtocolError, protocolError, refuse, STATUS, StatusError } from "../wire/status.ts";
import type { Connection } from "./connection.ts";
import { type Answer, type ChainState, type Reply, Request } from "./request.ts";
import { BY_HANDLE, toStatus } from "./statuses.ts";

/**
 * One message of a client: a request, or a compound of requests that run in sequence. Messages run
 * concurrently. The order of checks is that of the protocol: message id, session, signature, encryption,
 * tree, body.
 */
const DEFINED_FLAGS = FLAG.ASYNC | FLAG.RELATED | FLAG.SIGNED | FLAG.PRIORITY | FLAG.DFS | FLAG.REPLAY;

/** True when no command refers to a byte of `payload` afterwards. */
export async function runChain(
  connection: Connection,
  payload: Buffer,
  encryptedBy: Session | undefined,
): Promise<boolean> {
  const pdus = splitCompound(payload, SMB_LIMITS.pdusPerCompoundMax);
  const chain: ChainState = { session: undefined, tree: undefined, fileId: undefined, error: undefined };
  let answers: Answer[] = [];
  let isReleased = pdus.length === 1;
  const flush = (): void => {
    if (answers.length > 0) connection.send(answers);
    answers = [];
  };
  const sendInterim = (request: Request): void => {
    // Finished replies go out first: the client must not wait for them as long as for this one.
    flush();
    const reply = { status: STATUS.PENDING, body: encodeError() };
    connection.send([{ request, reply, isInterim: true }]);
  };
  for (let index = 0; index < pdus.length; index++) {
    const pdu = pdus[index]!;
    const header = decodeHeader(pdu);
    if ((header.flags & FLAG.RESPONSE) !== 0) throw protocolError("a reply from a client");
    if (header.command === COMMAND.CANCEL) {
      cancel(connection, header, pdu, encryptedBy);
      isReleased = false;
      continue;
    }
    const charge = Math.max(1, header.creditCharge);
    if (!connection.credits.take(header.messageId, charge))
      throw protocolError("a message id without a credit");
    const isRelated = (header.flags & FLAG.RELATED) !== 0;
    const isEncrypted = encryptedBy !== undefined;
    const request = new Request({
      connection,
      header,
      pdu,
      chain,
      isRelated,
      isEncrypted,
      isLast: index === pdus.length - 1,
      sendInterim,
    });
    const reply = await runRequest(request, { isFirst: index === 0, encryptedBy });
    isReleased &&= request.isReleased;
    if (connection.isClosed) return isReleased;
    chain.session = request.session;
    chain.tree = request.tree;
    answers.push({ request, reply, isInterim: false });
    if (request.asyncId !== 0n) {
      connection.leaveAsync(request);
      flush();
    }
  }
  flush();
  return isReleased;
}

async function runRequest(
  request: Request,
  place: { readonly isFirst: boolean; readonly encryptedBy: Session | undefined },
): Promise<Reply> {
  const { header, chain } = request;
  try {
    admit(request, place);
    const row = COMMANDS[header.command];
    if (row === undefined) throw refuse(STATUS.INVALID_PARAMETER);
    const result = row.run(request);
    return result instanceof Promise ? await result : result;
  } catch (error) {
    const refused = statusOf(request, error);
    if (header.command === COMMAND.CREATE || chain.fileId === undefined) chain.error ??= refused.status;
    return { status: refused.status, body: encodeError(refused.data) };
  } finally {
    request.leave();
  }
}

/** The status of an error. A protocol error has no reply and ends the connection. */
function statusOf({ header, context }: Request, error: unknown): StatusError {
  // CREATE comes with a path, and the commands after it with a handle.
  const refused = toStatus(error, header.command === COMMAND.CREATE ? {} : BY_HANDLE);
  if (refused instanceof StatusError) return refused;
  if (error instanceof ProtocolError) throw error;
  context.log.error({ err: error }, "an SMB request failed");
  return refuse(STATUS.UNEXPECTED_IO_ERROR);
}

function admit(
  request: Request,
  { isFirst, encryptedBy }: { readonly isFirst: boolean; readonly encryptedBy: Session | undefined },
): void {
  const { header, connection, chain, isRelated } = request;
  const needs = COMMANDS[header.command]?.needs ?? "session";
  if (isRelated) {
    // Without a request before it there is nothing to relate to.
    if (isFirst || chain.session === undefined) throw refuse(STATUS.INVALID_PARAMETER);
    request.session = chain.session;
    request.tree = chain.tree;
  } else {
    chain.fileId = undefined;
    chain.error = undefined;
    request.session = connection.sessions.get(header.sessionId);
  }
  if ((header.flags & ~DEFINED_FLAGS) !== 0) throw refuse(STATUS.INVALID_PARAMETER);
  if (header.command === COMMAND.NEGOTIATE) {
    if ((header.flags & FLAG.SIGNED) !== 0) throw refuse(STATUS.INVALID_PARAMETER);
    return;
  }
  if (connection.dialect === 0) throw protocolError("a request before NEGOTIATE");
  if (encryptedBy !== undefined && request.session !== encryptedBy)
    throw protocolError("a session that did not encrypt this");
  checkSignature(request);
  if (needs === "nothing") return;
  if (header.command === COMMAND.ECHO && header.sessionId === 0n) return;
  const { session } = request;
  if (session === undefined || session.state !== "valid") throw refuse(STATUS.USER_SESSION_DELETED);
  if (
    !request.isEncrypted &&
    (session.isEncryptionDemanded || (session.isSigningRequired && !request.isSigned))
  )
    throw refuse(STATUS.ACCESS_DENIED);
  if (needs !== "tree") return;
  if (!isRelated) request.tree = session.trees.get(header.treeId);
  if (request.tree === undefined) throw refuse(STATUS.NETWORK_NAME_DELETED);
}

function checkSignature(request: Request): void {
  const { session, header, pdu, isEncrypted } = request;
  const signer = session?.channels.get(request.connection);
  if (isEncrypted || (header.flags & FLAG.SIGNED) === 0 || signer === undefined) return;
  const message = { messageId: header.messageId, isFromServer: false, isCancel: false };
  // A refusal is signed, too: otherwise the client would not accept it.
  request.isSigned = true;
  if (!isSignatureValid(signer, pdu, message)) throw refuse(STATUS.ACCESS_DENIED);
}

/** CANCEL has no reply and takes no credit. It counts only when it proves the session's key. */
function cancel(connection: Connection, header: Header, pdu: Buffer, encryptedBy: Session | undefined): void {
  const session = connection.sessions.get(header.sessionId);
  const signer = session?.channels.get(connection);
  if (session === undefined || signer === undefined) return;
  if (encryptedBy !== undefined ? encryptedBy !== session : session.isEncryptionDemanded) return;
  const message = { messageId: header.messageId, isFromServer: false, isCancel: true };
  const isSigned = (header.flags & FLAG.SIGNED) !== 0;
  if (encryptedBy === undefined && !isSigned && session.isSigningRequired) return;
  if (encryptedBy === undefined && isSigned && !isSignatureValid(signer, pdu, message)) return;
  connection.cancel(header);
}
