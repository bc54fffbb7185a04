import type { LoginStep } from "../crypto/login.ts";
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
import { refuse, STATUS } from "../wire/status.ts";
import { newLogin, stepLogin } from "./login-step.ts";
import { bindSession } from "./session-bind.ts";

export async function sessionSetup(request: Request): Promise<Reply> {
  const { connection, context, header, pdu } = request;
  const { flags, token, previousSessionId, securityMode } = sessionSetupRequest.decode(pdu);
  // A client that cannot encrypt is refused before it sends a password.
  if (context.isEncryptionRequired && connection.cipher === 0) throw refuse(STATUS.ACCESS_DENIED);
  if ((flags & SESSION_BINDING) !== 0) return bindSession(request, token);
  const session = sessionOf(request);
  if (header.sessionId === 0n || session.state === "inProgress") hash(session, [pdu]);
  session.login ??= newLogin(context, { mayBeAnonymous: session.state === "valid" });
  const step = await stepLogin(request, session.login, token, () => {
    session.login = undefined;
    // A login that fails on a valid session ends that session, too; the refusal is still signed with its key.
    if (session.state === "inProgress") request.session = undefined;
    void context.endSession(session, "logoff");
  });
  if (step.kind === "continue") {
    return {
      status: STATUS.MORE_PROCESSING_REQUIRED,
      body: sessionSetupResponse.encode({ sessionFlags: 0, token: step.token }),
      onBytes: (parts) => hash(session, parts),
    };
  }
  session.login = undefined;
  context.loginDelay.succeeded(connection.host);
  if (session.state === "inProgress") establish(request, session, step, securityMode);
  else if (!step.isAnonymous && session.account !== step.account) throw refuse(STATUS.ACCESS_DENIED);
  if (step.ntHash !== undefined) session.ntHash = step.ntHash;
  session.isAnonymous = step.isAnonymous;
  if (previousSessionId !== 0n && previousSessionId !== session.id)
    await endPrevious(request, session, previousSessionId);
  const sessionFlags = session.isEncryptionDemanded ? SESSION_FLAG.ENCRYPT_DATA : 0;
  return { ...success(sessionSetupResponse.encode({ sessionFlags, token: step.token })), isSigned: true };
}

/** The hash of 3.1.1 covers every message of the login but the last reply. */
function hash(session: Session, parts: readonly Buffer[]): void {
  if (session.connection.dialect === DIALECT.SMB_3_1_1 && session.state === "inProgress")
    session.preauth = preauthAfter(session.preauth, ...parts);
}

function sessionOf(request: Request): Session {
  const { connection, context, header } = request;
  if (header.sessionId === 0n) {
    if (connection.sessions.size >= SMB_LIMITS.sessionsPerConnectionMax)
      throw refuse(STATUS.INSUFFICIENT_RESOURCES);
    const session = new Session(context.newSessionId(), connection, connection.preauth ?? Buffer.alloc(0));
    connection.sessions.set(session.id, session);
    context.sessions.set(session.id, session);
    request.session = session;
    return session;
  }
  const { session } = request;
  if (session === undefined) throw refuse(STATUS.USER_SESSION_DELETED);
  // A client that logs in again on a session must prove the session's key.
  const isProven = request.isEncrypted || (header.flags & FLAG.SIGNED) !== 0;
  if (session.state === "valid" && session.isSigningRequired && !isProven) throw refuse(STATUS.ACCESS_DENIED);
  return session;
}

function establish(
  { connection, context }: Request,
  session: Session,
  step: LoginStep & { readonly kind: "done" },
  securityMode: number,
): void {
  const isRequested = ((securityMode | connection.clientSecurityMode) & SECURITY_MODE.SIGNING_REQUIRED) !== 0;
  session.isSigningRequired = isRequested || context.isSigningRequired;
  session.account = step.account;
  session.user = step.user;
  session.workstation = step.workstation;
  session.establishKeys(step.sessionKey);
  session.isEncryptionDemanded = context.isEncryptionRequired;
  session.state = "valid";
  connection.loggedIn();
}

/** The same user logs in after a lost connection that the server has not noticed yet. */
async function endPrevious({ context }: Request, session: Session, previousId: bigint): Promise<void> {
  const previous = context.sessions.get(previousId);
  if (previous === undefined || previous.account !== session.account || previous.state !== "valid") return;
  await context.endSession(previous, "lost");
}

export async function logoff(request: Request): Promise<Reply> {
  emptyBody.decode(request.pdu);
  await request.context.endSession(request.user, "logoff");
  return success(emptyBody.encode({}));
}
