import { Login, type LoginStep } from "../crypto/login.ts";
import { preauthAfter } from "../crypto/preauth.ts";
import { SMB_LIMITS } from "../limits.ts";
import { Session } from "../session/session.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { FLAG } from "../wire/header.ts";
import { DIALECT, SECURITY_MODE } from "../wire/negotiate.ts";
import {
  emptyBody,
  SESSION_BINDING,
  SESSION_FLAG,
  sessionSetupRequest,
  sessionSetupResponse,
} from "../wire/session-setup.ts";
import { refuse, STATUS, StatusError } from "../wire/status.ts";
import { bindSession } from "./session-bind.ts";

const CHALLENGE_BYTES = 8;

export async function sessionSetup(request: Request): Promise<Reply> {
  const { connection, header, pdu } = request;
  const { server } = connection;
  const { flags, token, previousSessionId, securityMode } = sessionSetupRequest.decode(pdu);
  // Nobody can be let in without a cipher: told before a password is asked for.
  if (server.isEncryptionRequired && connection.cipher === 0) throw refuse(STATUS.ACCESS_DENIED);
  if ((flags & SESSION_BINDING) !== 0) return bindSession(request, token);
  const session = sessionOf(request);
  if (header.sessionId === 0n || session.state === "inProgress") hash(session, [pdu]);
  session.login ??= new Login({
    accounts: server.accounts,
    serverName: server.serverName,
    serverChallenge: server.random.bytes(CHALLENGE_BYTES),
    now: server.now(),
    mayBeAnonymous: session.state === "valid",
  });
  const step = await stepOf(request, session, token);
  if (step.kind === "continue") {
    return {
      status: STATUS.MORE_PROCESSING_REQUIRED,
      body: sessionSetupResponse.encode({ sessionFlags: 0, token: step.token }),
      onBytes: (parts) => hash(session, parts),
    };
  }
  session.login = undefined;
  server.loginDelay.succeeded(connection.host);
  if (session.state === "inProgress") establish(session, step, securityMode);
  else if (!step.isAnonymous && session.account !== step.account) throw refuse(STATUS.ACCESS_DENIED);
  if (step.ntHash !== undefined) session.ntHash = step.ntHash;
  session.isAnonymous = step.isAnonymous;
  if (previousSessionId !== 0n && previousSessionId !== session.id)
    await endPrevious(session, previousSessionId);
  const sessionFlags = session.isEncryptionDemanded ? SESSION_FLAG.ENCRYPT_DATA : 0;
  return { ...success(sessionSetupResponse.encode({ sessionFlags, token: step.token })), isSigned: true };
}

/** The hash of 3.1.1 goes on over every message of the login but the last reply. */
function hash(session: Session, parts: readonly Buffer[]): void {
  if (session.connection.dialect === DIALECT.SMB_3_1_1 && session.state === "inProgress")
    session.preauth = preauthAfter(session.preauth, ...parts);
}

function sessionOf(request: Request): Session {
  const { connection, header } = request;
  if (header.sessionId === 0n) {
    if (connection.sessions.size >= SMB_LIMITS.sessionsPerConnectionMax)
      throw refuse(STATUS.INSUFFICIENT_RESOURCES);
    const { server } = connection;
    const session = new Session(server.newSessionId(), connection, connection.preauth ?? Buffer.alloc(0));
    connection.sessions.set(session.id, session);
    server.sessions.set(session.id, session);
    request.session = session;
    return session;
  }
  const { session } = request;
  if (session === undefined) throw refuse(STATUS.USER_SESSION_DELETED);
  // Whoever repeats a login on a session must hold the session.
  const isProven = request.isEncrypted || (header.flags & FLAG.SIGNED) !== 0;
  if (session.state === "valid" && session.isSigningRequired && !isProven) throw refuse(STATUS.ACCESS_DENIED);
  return session;
}

/** A failed login is told late, and takes the unfinished session with it. */
async function stepOf(request: Request, session: Session, token: Buffer): Promise<LoginStep> {
  try {
    return session.login!.step(token);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    session.login = undefined;
    const { server, host, address } = session.connection;
    // A login that fails on a session in use ends that session, too; the refusal is still signed with its key.
    if (session.state === "inProgress") request.session = undefined;
    void server.endSession(session, "logoff");
    if (error.status === STATUS.LOGON_FAILURE) {
      server.log.warn({ client: address }, "an SMB login failed");
      await server.loginDelay.failed(host);
    }
    throw error;
  }
}

function establish(
  session: Session,
  step: LoginStep & { readonly kind: "done" },
  securityMode: number,
): void {
  const { connection } = session;
  const isAskedFor = ((securityMode | connection.clientSecurityMode) & SECURITY_MODE.SIGNING_REQUIRED) !== 0;
  session.isSigningRequired = isAskedFor || connection.server.isSigningRequired;
  session.account = step.account;
  session.user = step.user;
  session.workstation = step.workstation;
  session.establishKeys(step.sessionKey);
  session.isEncryptionDemanded = connection.server.isEncryptionRequired;
  session.state = "valid";
  connection.loggedIn();
}

/** The same user comes back after a lost connection that the server has not noticed yet. */
async function endPrevious(session: Session, previousId: bigint): Promise<void> {
  const { server } = session.connection;
  const previous = server.sessions.get(previousId);
  if (previous === undefined || previous.account !== session.account || previous.state !== "valid") return;
  await server.endSession(previous, "lost");
}

export async function logoff(request: Request): Promise<Reply> {
  emptyBody.decode(request.pdu);
  const session = request.user;
  await session.connection.server.endSession(session, "logoff");
  return success(emptyBody.encode({}));
}
