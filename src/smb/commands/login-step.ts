import type { SmbContext } from "../context.ts";
import { Login, type LoginStep } from "../crypto/login.ts";
import type { Request } from "../transport/request.ts";
import { STATUS, StatusError } from "../wire/status.ts";

const CHALLENGE_BYTES = 8;

export function newLogin(context: SmbContext, { mayBeAnonymous = false } = {}): Login {
  return new Login({
    accounts: context.accounts,
    serverName: context.serverName,
    serverChallenge: context.random.bytes(CHALLENGE_BYTES),
    now: context.now(),
    mayBeAnonymous,
  });
}

/** Runs `onFailure` at once when the login fails, and throws after a delay, to slow down guesses. */
export async function stepLogin(
  { connection, context: { log, loginDelay } }: Request,
  login: Login,
  token: Buffer,
  onFailure: () => void,
): Promise<LoginStep> {
  try {
    return login.step(token);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    onFailure();
    if (error.status === STATUS.LOGON_FAILURE) {
      log.warn({ client: connection.address }, "an SMB login failed");
      await loginDelay.failed(connection.host);
    }
    throw error;
  }
}
