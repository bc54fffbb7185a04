import { Login, type LoginStep } from "../crypto/login.ts";
import { preauthAfter } from "../crypto/preauth.ts";
import { isSignatureValid, SIGNING } from "../crypto/signing.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Binding, Session } from "../session/session.ts";
import type { Connection } from "../transport/connection.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { FLAG } from "../wire/header.ts";
import { DIALECT } from "../wire/negotiate.ts";
import { SESSION_FLAG, sessionSetupResponse } from "../wire/session-setup.ts";
import { refuse, STATUS, StatusError } from "../wire/status.ts";

const CHALLENGE_BYTES = 8;

/**
 * A second connection for a session (multichannel). Whoever asks holds the session's key: the requests are signed
 * with it, and so are the answers, until the login is through and the connection has a key of its own.
 */
export async function bindSession(request: Request, token: Buffer): Promise<Reply> {
  const { connection, header } = request;
  const { server } = connection;
  // The hash of the login goes over the request as it was sent: looking at the signature clears it.
  const sent = connection.dialect === DIALECT.SMB_3_1_1 ? Buffer.from(request.pdu) : request.pdu;
  const target = server.sessions.get(header.sessionId);
  if (target?.signer === undefined || target.state !== "valid") throw refuse(STATUS.USER_SESSION_DELETED);
  if (target.channels.has(connection)) throw refuse(STATUS.REQUEST_NOT_ACCEPTED);
  if ((header.flags & FLAG.SIGNED) === 0) throw refuse(STATUS.INVALID_PARAMETER);
  if (!provesHolder(request, target)) throw refuse(STATUS.ACCESS_DENIED);
  if (target.connection.signing !== SIGNING.AES_GMAC) signAs(request, target);
  checkAlike(connection, target);
  signAs(request, target);
  if (target.channels.size >= SMB_LIMITS.channelsPerSessionMax) throw refuse(STATUS.INSUFFICIENT_RESOURCES);
  const binding = bindingOf(connection, target);
  hash(connection, binding, [sent]);
  const step = await stepOf(connection, target, { binding, token });
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
  server.loginDelay.succeeded(connection.host);
  target.bind(connection, step, binding.preauth);
  connection.loggedIn();
  request.signer = undefined;
  const sessionFlags = target.isEncryptionDemanded ? SESSION_FLAG.ENCRYPT_DATA : 0;
  return { ...success(sessionSetupResponse.encode({ sessionFlags, token: step.token })), isSigned: true };
}

/** Whether the request is signed with the key of a session that lives on another connection. */
function provesHolder({ header, pdu }: Request, target: Session): boolean {
  const message = { messageId: header.messageId, isFromServer: false, isCancel: false };
  return isSignatureValid(target.signer!, pdu, message);
}

/**
 * Answers with the key of the session. The nonce of GMAC is the message id, which means something else on each
 * connection; a nonce used twice tells about the key. So with GMAC only the login itself is answered under it, as
 * clients expect, and only to who holds the key; refusals before it carry the request's signature back.
 */
function signAs(request: Request, target: Session): void {
  request.session = target;
  request.signer = target.signer;
  request.isSigned = true;
}

/** What both connections must have agreed on, and what is told when they have not, in the protocol's order. */
function checkAlike(connection: Connection, { connection: first }: Session): void {
  const here = connection.signing === SIGNING.AES_GMAC;
  const there = first.signing === SIGNING.AES_GMAC;
  if (here !== there) throw refuse(here ? STATUS.NOT_SUPPORTED : STATUS.REQUEST_OUT_OF_SEQUENCE);
  if (connection.dialect < DIALECT.SMB_3_0) throw refuse(STATUS.REQUEST_NOT_ACCEPTED);
  if (connection.dialect !== first.dialect || connection.cipher !== first.cipher)
    throw refuse(STATUS.INVALID_PARAMETER);
}

function bindingOf(connection: Connection, target: Session): Binding {
  const known = connection.bindings.get(target.id);
  if (known !== undefined) return known;
  if (connection.bindings.size >= SMB_LIMITS.sessionsPerConnectionMax)
    throw refuse(STATUS.INSUFFICIENT_RESOURCES);
  const { server } = connection;
  const login = new Login({
    accounts: server.accounts,
    serverName: server.serverName,
    serverChallenge: server.random.bytes(CHALLENGE_BYTES),
    now: server.now(),
  });
  const binding = { login, preauth: connection.preauth ?? Buffer.alloc(0) };
  connection.bindings.set(target.id, binding);
  return binding;
}

function hash(connection: Connection, binding: Binding, parts: readonly Buffer[]): void {
  if (connection.dialect === DIALECT.SMB_3_1_1) binding.preauth = preauthAfter(binding.preauth, ...parts);
}

/** A failed login is told late. The session itself goes on where it is. */
async function stepOf(
  connection: Connection,
  target: Session,
  { binding, token }: { readonly binding: Binding; readonly token: Buffer },
): Promise<LoginStep> {
  try {
    return binding.login.step(token);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    connection.bindings.delete(target.id);
    if (error.status === STATUS.LOGON_FAILURE) {
      connection.server.log.warn({ client: connection.address }, "an SMB login failed");
      await connection.server.loginDelay.failed(connection.host);
    }
    throw error;
  }
}
