import { preauthAfter } from "../crypto/preauth.ts";
import { isSignatureValid, SIGNING } from "../crypto/signing.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Binding, Session } from "../session/session.ts";
import type { Connection } from "../transport/connection.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { FLAG } from "../wire/header.ts";
import { DIALECT } from "../wire/negotiate.ts";
import { SESSION_FLAG, sessionSetupResponse } from "../wire/session-setup.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { newLogin, stepLogin } from "./login-step.ts";

/**
 * A second connection for a session (multichannel). The client proves the session's key: it signs the
 * requests with it, and the server its replies, until the login has succeeded and the connection has a key of
 * its own.
 */
export async function bindSession(request: Request, token: Buffer): Promise<Reply> {
  const { connection, context, header } = request;
  // The hash of the login covers the request as it was sent: the check of the signature clears it.
  const sent = connection.dialect === DIALECT.SMB_3_1_1 ? Buffer.from(request.pdu) : request.pdu;
  const target = context.sessions.get(header.sessionId);
  if (target?.signer === undefined || target.state !== "valid") throw refuse(STATUS.USER_SESSION_DELETED);
  if (target.channels.has(connection)) throw refuse(STATUS.REQUEST_NOT_ACCEPTED);
  if ((header.flags & FLAG.SIGNED) === 0) throw refuse(STATUS.INVALID_PARAMETER);
  if (!provesHolder(request, target)) throw refuse(STATUS.ACCESS_DENIED);
  if (target.connection.signing !== SIGNING.AES_GMAC) signAs(request, target);
  checkAlike(connection, target);
  signAs(request, target);
  if (target.channels.size >= SMB_LIMITS.channelsPerSessionMax) throw refuse(STATUS.INSUFFICIENT_RESOURCES);
  const binding = bindingOf(request, target);
  hash(connection, binding, [sent]);
  const step = await stepLogin(request, binding.login, token, () => connection.bindings.delete(target.id));
  if (step.kind === "continue") {
    return {
      status: STATUS.MORE_PROCESSING_REQUIRED,
      body: sessionSetupResponse.encode({ sessionFlags: 0, token: step.token }),
      isSigned: true,
      onBytes: (parts) => hash(connection, binding, parts),
    };
  }
  connection.bindings.delete(target.id);
  if (target.account !== step.account) throw refuse(STATUS.ACCESS_DENIED);
  if (connection.sessions.size >= SMB_LIMITS.sessionsPerConnectionMax)
    throw refuse(STATUS.INSUFFICIENT_RESOURCES);
  context.loginDelay.succeeded(connection.host);
  target.bind(connection, step, binding.preauth);
  connection.loggedIn();
  request.signer = undefined;
  const sessionFlags = target.isEncryptionDemanded ? SESSION_FLAG.ENCRYPT_DATA : 0;
  return { ...success(sessionSetupResponse.encode({ sessionFlags, token: step.token })), isSigned: true };
}

/** Whether the request is signed with the key of a session on another connection. */
function provesHolder({ header, pdu }: Request, target: Session): boolean {
  const message = { messageId: header.messageId, isFromServer: false, isCancel: false };
  return isSignatureValid(target.signer!, pdu, message);
}

/**
 * Signs the reply with the key of the session. The nonce of GMAC is the message id, which each connection
 * counts from 0, and a nonce used twice reveals the key. So with GMAC only the login itself is signed with
 * it, as clients expect, and only for a client that has the key; earlier refusals repeat the request's
 * signature.
 */
function signAs(request: Request, target: Session): void {
  request.session = target;
  request.signer = target.signer;
  request.isSigned = true;
}

/** What both connections must have in common. The order of refusals is that of the protocol. */
function checkAlike(connection: Connection, { connection: first }: Session): void {
  const here = connection.signing === SIGNING.AES_GMAC;
  const there = first.signing === SIGNING.AES_GMAC;
  if (here !== there) throw refuse(here ? STATUS.NOT_SUPPORTED : STATUS.REQUEST_OUT_OF_SEQUENCE);
  if (connection.dialect < DIALECT.SMB_3_0) throw refuse(STATUS.REQUEST_NOT_ACCEPTED);
  if (connection.dialect !== first.dialect || connection.cipher !== first.cipher)
    throw refuse(STATUS.INVALID_PARAMETER);
}

function bindingOf({ connection, context }: Request, target: Session): Binding {
  const started = connection.bindings.get(target.id);
  if (started !== undefined) return started;
  if (connection.bindings.size >= SMB_LIMITS.sessionsPerConnectionMax)
    throw refuse(STATUS.INSUFFICIENT_RESOURCES);
  const binding = { login: newLogin(context), preauth: connection.preauth ?? Buffer.alloc(0) };
  connection.bindings.set(target.id, binding);
  return binding;
}

function hash(connection: Connection, binding: Binding, parts: readonly Buffer[]): void {
  if (connection.dialect === DIALECT.SMB_3_1_1) binding.preauth = preauthAfter(binding.preauth, ...parts);
}
