import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { systemClock } from "../../src/base/clock.ts";
import { CIPHER, cipherKeyBytes, MessageCipher } from "../../src/smb/crypto/encryption.ts";
import { messagesMic, ntHash, ntowfv2, ntProof, sessionBaseKey } from "../../src/smb/crypto/ntlm-proof.ts";
import { NTLM_FLAG } from "../../src/smb/crypto/ntlmssp.ts";
import { PREAUTH_START, preauthAfter } from "../../src/smb/crypto/preauth.ts";
import { deriveSessionKeys } from "../../src/smb/crypto/session-keys.ts";
import { SIGNING, type Signer, signerOf } from "../../src/smb/crypto/signing.ts";
import { fileTimeAt } from "../../src/smb/wire/filetime.ts";
import { FrameAssembler, prefixFor } from "../../src/smb/wire/framing.ts";
import {
  COMMAND,
  decodeHeader,
  encodeHeader,
  FLAG,
  type Header,
  SIGNATURE_AT,
  SIGNATURE_BYTES,
} from "../../src/smb/wire/header.ts";
import {
  CONTEXT,
  DIALECT,
  decodeIds,
  decodeNegotiateResponse,
  encodeIds,
  encodeNegotiateRequest,
  encodePreauthIntegrity,
  type NegotiateContext,
} from "../../src/smb/wire/negotiate.ts";
import { sessionSetupRequest, sessionSetupResponse } from "../../src/smb/wire/session-setup.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { utf16 } from "../../src/smb/wire/text.ts";
import { treeConnectRequest } from "../../src/smb/wire/tree-connect.ts";

/**
 * An SMB client that does one thing at a time and lets its caller spoil each of them: what is sent, how it is
 * signed, whether it is encrypted. Logs in with bare NTLM messages, as small clients do.
 */
export interface SmbClientOptions {
  readonly port: number;
  readonly dialects?: readonly number[];
  readonly ciphers?: readonly number[];
  readonly signings?: readonly number[];
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
  /** Sent as it is, in place of a good AUTHENTICATE message. */
  readonly spoil?: (authenticate: Buffer) => Buffer;
}

export interface SmbReply {
  readonly header: Header;
  readonly pdu: Buffer;
}

const ALL_DIALECTS = [DIALECT.SMB_2_1, DIALECT.SMB_3_0, DIALECT.SMB_3_0_2, DIALECT.SMB_3_1_1];

export class SmbClient {
  readonly socket: Socket;
  readonly #options: SmbClientOptions;
  readonly #frames = new FrameAssembler(1 << 24);
  readonly #received: Buffer[] = [];
  #wake: () => void = () => {};
  #preauth: Buffer = PREAUTH_START;
  #messageId = 0n;
  isClosed = false;
  dialect = 0;
  cipher = 0;
  signing: number = SIGNING.HMAC_SHA256;
  sessionId = 0n;
  treeId = 0;
  signer: Signer | undefined;
  sealer: MessageCipher | undefined;
  opener: MessageCipher | undefined;

  constructor(options: SmbClientOptions) {
    this.#options = options;
    this.socket = connect(options.port, "127.0.0.1");
    this.socket.setNoDelay(true);
    this.socket.on("data", (chunk) => this.#frames.add(chunk, (frame) => this.#received.push(frame)));
    this.socket.on("data", () => this.#wake());
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  /** The next message; undefined when the server has ended the connection. */
  async next(): Promise<Buffer | undefined> {
    while (this.#received.length === 0 && !this.isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#received.shift();
  }

  /** The final reply to what was sent last: an interim one and unasked messages are stepped over. */
  async reply(): Promise<SmbReply | undefined> {
    for (;;) {
      const frame = await this.next();
      if (frame === undefined) return undefined;
      const pdu = frame.readUInt32LE(0) === 0x424d_53fd ? this.opener!.decrypt(frame) : frame;
      const header = decodeHeader(pdu);
      if (header.status !== STATUS.PENDING && header.command !== COMMAND.OPLOCK_BREAK) return { header, pdu };
    }
  }

  send(...parts: readonly Buffer[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.socket.write(Buffer.concat([prefixFor(length), ...parts]));
  }

  /** A request with its header, signed where there is a key. */
  pdu(command: number, body: Buffer, change: Partial<Header> = {}): Buffer {
    const isSigned = this.signer !== undefined && change.flags === undefined;
    const messageId = this.#messageId++;
    const header = {
      creditCharge: 1,
      status: 0,
      command,
      credits: 64,
      flags: isSigned ? FLAG.SIGNED : 0,
      nextCommand: 0,
      messageId,
      asyncId: 0n,
      processId: 0xfeff,
      treeId: this.treeId,
      sessionId: this.sessionId,
      ...change,
    };
    const pdu = Buffer.concat([encodeHeader(header), body]);
    return isSigned ? this.sign(pdu) : pdu;
  }

  sign(pdu: Buffer): Buffer {
    pdu.fill(0, SIGNATURE_AT, SIGNATURE_AT + SIGNATURE_BYTES);
    const { messageId, command } = decodeHeader(pdu);
    const message = { messageId, isFromServer: false, isCancel: command === COMMAND.CANCEL };
    pdu.set(this.signer!([pdu], message), SIGNATURE_AT);
    return pdu;
  }

  async ask(command: number, body: Buffer, change: Partial<Header> = {}): Promise<SmbReply | undefined> {
    this.send(this.pdu(command, body, change));
    return this.reply();
  }

  /** The status of the answer; undefined when there was none and the connection has ended. */
  async statusOf(command: number, body: Buffer, change: Partial<Header> = {}): Promise<number | undefined> {
    return (await this.ask(command, body, change))?.header.status;
  }

  async negotiate(): Promise<number> {
    const { dialects = ALL_DIALECTS, ciphers = [CIPHER.AES_128_GCM], signings } = this.#options;
    const contexts: NegotiateContext[] = [
      {
        type: CONTEXT.PREAUTH_INTEGRITY,
        data: encodePreauthIntegrity({ hashes: [1], salt: Buffer.alloc(32, 3) }),
      },
    ];
    if (ciphers.length > 0) contexts.push({ type: CONTEXT.ENCRYPTION, data: encodeIds(ciphers) });
    if (signings !== undefined) contexts.push({ type: CONTEXT.SIGNING, data: encodeIds(signings) });
    const body = encodeNegotiateRequest({
      securityMode: 1,
      capabilities: 0x7f,
      clientGuid: Buffer.alloc(16, 9),
      dialects,
      contexts,
    });
    const sent = this.pdu(COMMAND.NEGOTIATE, body, { creditCharge: 0 });
    this.send(sent);
    const reply = await this.reply();
    if (reply === undefined || reply.header.status !== STATUS.SUCCESS) return reply?.header.status ?? -1;
    const answer = decodeNegotiateResponse(reply.pdu);
    this.dialect = answer.dialect;
    this.signing = answer.dialect >= DIALECT.SMB_3_0 ? SIGNING.AES_CMAC : SIGNING.HMAC_SHA256;
    const chosen = (type: number): number | undefined => {
      const data = answer.contexts.find((context) => context.type === type)?.data;
      return data === undefined ? undefined : decodeIds(data)[0];
    };
    if (answer.dialect === DIALECT.SMB_3_1_1) {
      this.cipher = chosen(CONTEXT.ENCRYPTION) ?? 0;
      this.signing = chosen(CONTEXT.SIGNING) ?? this.signing;
    } else if (answer.dialect >= DIALECT.SMB_3_0) this.cipher = CIPHER.AES_128_CCM;
    this.#preauth = preauthAfter(PREAUTH_START, sent);
    this.#preauth = preauthAfter(this.#preauth, reply.pdu);
    return STATUS.SUCCESS;
  }

  setupBody(token: Buffer): Buffer {
    return sessionSetupRequest.encode({
      flags: 0,
      securityMode: 1,
      capabilities: 0,
      channel: 0,
      previousSessionId: 0n,
      token,
    });
  }

  /** The status of the login; undefined when the server ended the connection. */
  async login({ user, password, spoil = (message) => message }: Credentials): Promise<number | undefined> {
    let preauth = this.#preauth;
    const exchange = async (token: Buffer): Promise<SmbReply | undefined> => {
      const sent = this.pdu(COMMAND.SESSION_SETUP, this.setupBody(token));
      preauth = preauthAfter(preauth, sent);
      this.send(sent);
      const reply = await this.reply();
      if (reply !== undefined && reply.header.status === STATUS.MORE_PROCESSING_REQUIRED)
        preauth = preauthAfter(preauth, reply.pdu);
      return reply;
    };
    const negotiate = ntlmNegotiate();
    const first = await exchange(negotiate);
    if (first === undefined || first.header.status !== STATUS.MORE_PROCESSING_REQUIRED)
      return first?.header.status;
    this.sessionId = first.header.sessionId;
    const challenge = sessionSetupResponse.decode(first.pdu).token;
    const { message, sessionKey } = ntlmAuthenticate({ negotiate, challenge, user, password });
    const second = await exchange(spoil(message));
    if (second === undefined || second.header.status !== STATUS.SUCCESS) return second?.header.status;
    const keys = deriveSessionKeys({
      dialect: this.dialect,
      sessionKey,
      preauthHash: this.dialect === DIALECT.SMB_3_1_1 ? preauth : undefined,
      cipherKeyBytes: cipherKeyBytes(this.cipher),
    });
    this.signer = signerOf(this.signing, keys.signing);
    if (this.cipher !== 0 && keys.clientToServer !== undefined) {
      this.sealer = new MessageCipher(this.cipher, keys.clientToServer);
      this.opener = new MessageCipher(this.cipher, keys.serverToClient!);
    }
    return STATUS.SUCCESS;
  }

  async tree(share: string, change: Partial<Header> = {}): Promise<number | undefined> {
    const body = treeConnectRequest.encode({ flags: 0, path: utf16(`\\\\127.0.0.1\\${share}`) });
    const reply = await this.ask(COMMAND.TREE_CONNECT, body, { treeId: 0, ...change });
    if (reply?.header.status === STATUS.SUCCESS) this.treeId = reply.header.treeId;
    return reply?.header.status;
  }

  close(): void {
    this.socket.destroy();
  }
}

const OFFERED =
  (NTLM_FLAG.UNICODE |
    NTLM_FLAG.REQUEST_TARGET |
    NTLM_FLAG.NTLM |
    NTLM_FLAG.ALWAYS_SIGN |
    NTLM_FLAG.EXTENDED_SESSIONSECURITY |
    NTLM_FLAG.KEY_128) >>>
  0;
const SIGNATURE = Buffer.from("NTLMSSP\0", "latin1");

export function ntlmNegotiate(): Buffer {
  const message = Buffer.alloc(32);
  message.set(SIGNATURE);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(OFFERED, 12);
  return message;
}

/** AUTHENTICATE with an NTLMv2 response and a MIC, without an exchanged key. */
export function ntlmAuthenticate({
  negotiate,
  challenge,
  user,
  password,
}: {
  readonly negotiate: Buffer;
  readonly challenge: Buffer;
  readonly user: string;
  readonly password: string;
}): { readonly message: Buffer; readonly sessionKey: Buffer } {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(fileTimeAt(systemClock.now()));
  const clientChallenge = createHash("md5").update(challenge).digest().subarray(0, 8);
  const micFlag = Buffer.from("0600040002000000", "hex");
  const blob = Buffer.concat([
    Buffer.from("0101000000000000", "hex"),
    time,
    clientChallenge,
    Buffer.alloc(4),
    micFlag,
    Buffer.alloc(8),
  ]);
  const key = ntowfv2(ntHash(password), user, "");
  const proof = ntProof(key, challenge.subarray(24, 32), blob);
  const sessionKey = sessionBaseKey(key, proof);
  const parts = [Buffer.alloc(0), Buffer.concat([proof, blob]), Buffer.alloc(0), utf16(user), utf16("PROBE")];
  const head = Buffer.alloc(88);
  head.set(SIGNATURE);
  head.writeUInt32LE(3, 8);
  let at = head.length;
  for (const [index, part] of parts.entries()) {
    head.writeUInt16LE(part.length, 12 + index * 8);
    head.writeUInt16LE(part.length, 14 + index * 8);
    head.writeUInt32LE(at, 16 + index * 8);
    at += part.length;
  }
  head.writeUInt32LE(OFFERED, 60);
  const message = Buffer.concat([head, ...parts]);
  message.set(messagesMic(sessionKey, { negotiate, challenge, authenticate: message }), 72);
  return { message, sessionKey };
}
