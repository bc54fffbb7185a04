import type { FileTime } from "../wire/filetime.ts";
import { refuse, STATUS } from "../wire/status.ts";
import {
  exportedSessionKey,
  isEqual,
  mechListMic,
  messagesMic,
  NTLMV2_RESPONSE_BYTES_MIN,
  ntHash,
  ntowfv2,
  ntProof,
  PROOF_BYTES,
  sessionBaseKey,
} from "./ntlm-proof.ts";
import {
  areAvPairsWhole,
  decodeNtlmAuthenticate,
  decodeNtlmNegotiate,
  encodeNtlmChallenge,
  hasMic,
  MIC_AT,
  MIC_BYTES,
  NTLM_FLAG,
  type NtlmAuthenticate,
} from "./ntlmssp.ts";
import { type ClientToken, decodeClientToken, encodeServerToken, NEG_STATE } from "./spnego.ts";

/** An account with a hash for each of its one or two keys. */
export interface LoginAccount {
  readonly name: string;
  readonly ntHashes: readonly Buffer[];
}

export interface LoginAccounts {
  find(name: string): LoginAccount | undefined;
}

/** The password is the account key in Base64, as on Azure. */
export function loginAccountOf(name: string, keys: readonly Buffer[]): LoginAccount {
  return { name, ntHashes: keys.map((key) => ntHash(key.toString("base64"))) };
}

interface LoginOptions {
  readonly accounts: LoginAccounts;
  readonly serverName: string;
  readonly serverChallenge: Buffer;
  readonly now: FileTime;
  /** The login repeats a successful one, whose user may become anonymous. */
  readonly mayBeAnonymous?: boolean;
}

export type LoginStep =
  | { readonly kind: "continue"; readonly token: Buffer }
  | {
      readonly kind: "done";
      readonly token: Buffer;
      readonly account: string;
      readonly user: string;
      readonly domain: string;
      readonly workstation: string;
      readonly sessionKey: Buffer;
      /** The hash of the key that was used; undefined for an anonymous login. */
      readonly ntHash: Buffer | undefined;
      /** An anonymous login has no account and no rights. */
      readonly isAnonymous: boolean;
    };

interface Verified {
  readonly account: string;
  readonly ntHash: Buffer | undefined;
  readonly sessionKey: Buffer;
}

const proceed = (token: Buffer): LoginStep => ({ kind: "continue", token });

const isAnonymousLogin = ({ flags, user }: NtlmAuthenticate): boolean =>
  (flags & NTLM_FLAG.ANONYMOUS) !== 0 || user === "";

/** The session key of an anonymous login is public, so it signs nothing but the token of this login. */
const anonymous = (message: NtlmAuthenticate): Verified => ({
  account: "",
  ntHash: undefined,
  sessionKey: exportedSessionKey(Buffer.alloc(16), message) ?? Buffer.alloc(16),
});

/** For an unknown user, so that the login takes as long as one with a wrong password. */
const UNKNOWN_USER = [Buffer.alloc(16)];

/**
 * One login: the client sends NEGOTIATE, the server CHALLENGE, the client AUTHENTICATE; the result is an
 * account and a session key. Guests, anonymous users and NTLMv1 are refused with the status of a wrong
 * password.
 */
export class Login {
  readonly #options: LoginOptions;
  #isRaw = false;
  #mechTypes: Buffer | undefined;
  #negotiate: Buffer | undefined;
  #challenge: Buffer | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  step(data: Buffer): LoginStep {
    const token = decodeClientToken(data);
    if (this.#challenge === undefined) return this.#first(token);
    return this.#second(token);
  }

  #first(client: ClientToken): LoginStep {
    if (client.kind === "raw") {
      this.#isRaw = true;
      return proceed(this.#challengeFor(client.token));
    }
    if (client.kind === "init") {
      if (!client.isNtlmOffered) throw refuse(STATUS.LOGON_FAILURE);
      this.#mechTypes ??= Buffer.from(client.mechTypes);
      // The token is for another mechanism: the response names NTLMSSP, and the client starts again.
      if (!client.isNtlmPreferred || client.token === undefined)
        return proceed(encodeServerToken({ negState: NEG_STATE.REQUEST_MIC, hasMech: true }));
    }
    if (client.token === undefined) throw refuse(STATUS.INVALID_PARAMETER);
    const token = this.#challengeFor(client.token);
    return proceed(encodeServerToken({ negState: NEG_STATE.ACCEPT_INCOMPLETE, hasMech: true, token }));
  }

  #challengeFor(negotiate: Buffer): Buffer {
    const { flags } = decodeNtlmNegotiate(negotiate);
    const { serverChallenge, serverName, now } = this.#options;
    // The MIC covers both messages, and the buffer of the request will have been reused by then.
    this.#negotiate = Buffer.from(negotiate);
    this.#challenge = encodeNtlmChallenge({ offered: flags, serverChallenge, serverName, time: now });
    return this.#challenge;
  }

  #second(client: ClientToken): LoginStep {
    if (client.kind === "init" || client.token === undefined) throw refuse(STATUS.INVALID_PARAMETER);
    const message = decodeNtlmAuthenticate(client.token);
    const isAnonymous = isAnonymousLogin(message) && this.#options.mayBeAnonymous === true;
    const { account, ntHash, sessionKey } = isAnonymous
      ? anonymous(message)
      : this.#verify(client.token, message);
    const { user, domain, workstation } = message;
    const mic = client.kind === "response" ? client.mechListMic : undefined;
    const token = this.#isRaw ? Buffer.alloc(0) : this.#lastToken(sessionKey, mic);
    return { kind: "done", token, account, ntHash, user, domain, workstation, sessionKey, isAnonymous };
  }

  #lastToken(sessionKey: Buffer, clientMic: Buffer | undefined): Buffer {
    const last = { negState: NEG_STATE.ACCEPT_COMPLETED, hasMech: false };
    const mechTypes = this.#mechTypes;
    if (clientMic === undefined || mechTypes === undefined) return encodeServerToken(last);
    if (!isEqual(clientMic, mechListMic(sessionKey, "client", mechTypes))) throw refuse(STATUS.LOGON_FAILURE);
    return encodeServerToken({ ...last, mechListMic: mechListMic(sessionKey, "server", mechTypes) });
  }

  #verify(bytes: Buffer, message: NtlmAuthenticate): Verified {
    const { user, domain, ntResponse } = message;
    if (isAnonymousLogin(message) || ntResponse.length < NTLMV2_RESPONSE_BYTES_MIN)
      throw refuse(STATUS.LOGON_FAILURE);
    const proof = ntResponse.subarray(0, PROOF_BYTES);
    const blob = ntResponse.subarray(PROOF_BYTES);
    if (!areAvPairsWhole(blob)) throw refuse(STATUS.INVALID_PARAMETER);
    const account = this.#accountOf(user);
    let sessionKey: Buffer | undefined;
    let ntHash: Buffer | undefined;
    for (const hash of account?.ntHashes ?? UNKNOWN_USER) {
      const key = ntowfv2(hash, user, domain);
      if (!isEqual(ntProof(key, this.#options.serverChallenge, blob), proof)) continue;
      sessionKey = exportedSessionKey(sessionBaseKey(key, proof), message);
      ntHash = hash;
    }
    if (account === undefined || sessionKey === undefined) throw refuse(STATUS.LOGON_FAILURE);
    if (hasMic(blob)) this.#checkMic(sessionKey, bytes);
    return { account: account.name, ntHash, sessionKey };
  }

  #checkMic(sessionKey: Buffer, authenticate: Buffer): void {
    if (authenticate.length < MIC_AT + MIC_BYTES) throw refuse(STATUS.LOGON_FAILURE);
    const messages = { negotiate: this.#negotiate!, challenge: this.#challenge!, authenticate };
    const expected = messagesMic(sessionKey, messages);
    if (!isEqual(authenticate.subarray(MIC_AT, MIC_AT + MIC_BYTES), expected))
      throw refuse(STATUS.LOGON_FAILURE);
  }

  /** `account`, `AZURE\account` and `account@host` name the same account. */
  #accountOf(user: string): LoginAccount | undefined {
    const name = user.slice(user.lastIndexOf("\\") + 1).replace(/@.*$/s, "");
    return this.#options.accounts.find(name) ?? this.#options.accounts.find(name.toLowerCase());
  }
}
