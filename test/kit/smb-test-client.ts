import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { parseSddl, printSddl } from "../../src/services/file/security/sddl.ts";
import {
  decodeSecurityDescriptor,
  encodeSecurityDescriptor,
  SECURITY_PART,
} from "../../src/services/file/security/security-descriptor.ts";
import { ntHash, ntowfv2, ntProof, sessionBaseKey } from "../../src/smb/crypto/ntlm-proof.ts";
import { SIGNING, type Signer, signerOf } from "../../src/smb/crypto/signing.ts";
import { CREATE_OPTION, createRequest, createResponse, DISPOSITION } from "../../src/smb/wire/create.ts";
import {
  allocationSize,
  type CreateContext,
  decodeCreateContexts,
  decodeLease,
  encodeCreateContexts,
  encodeLease,
} from "../../src/smb/wire/create-contexts.ts";
import {
  changeNotifyRequest,
  decodeNotifyRecords,
  NOTIFY_WATCH_TREE,
  outputResponse,
  QUERY_DIRECTORY_FLAG,
  queryDirectoryRequest,
} from "../../src/smb/wire/directory.ts";
import { type DirectoryEntry, decodeDirectoryEntries } from "../../src/smb/wire/directory-entry.ts";
import {
  decodeFullEas,
  type ExtendedAttribute,
  encodeFullEas,
} from "../../src/smb/wire/extended-attributes.ts";
import { dispositionInformation, FILE_CLASS } from "../../src/smb/wire/file-information.ts";
import {
  closeRequest,
  flushRequest,
  readRequest,
  readResponse,
  writeRequest,
} from "../../src/smb/wire/file-io.ts";
import { FrameAssembler, prefixFor } from "../../src/smb/wire/framing.ts";
import {
  COMMAND,
  decodeHeader,
  FLAG,
  type Header,
  NO_MESSAGE_ID,
  SIGNATURE_AT,
  writeHeader,
} from "../../src/smb/wire/header.ts";
import { INFO_TYPE, queryInfoRequest, setInfoRequest } from "../../src/smb/wire/info.ts";
import { IOCTL_IS_FSCTL, ioctlRequest, ioctlResponse } from "../../src/smb/wire/ioctl.ts";
import { type FileId, HEADER_BYTES } from "../../src/smb/wire/layout.ts";
import { encodeLockRequest, LOCK_FLAG } from "../../src/smb/wire/lock.ts";
import { DIALECT, encodeNegotiateRequest } from "../../src/smb/wire/negotiate.ts";
import { leaseBreak, leaseBreakNotification, OPLOCK, oplockBreak } from "../../src/smb/wire/oplock-break.ts";
import { sessionSetupRequest, sessionSetupResponse } from "../../src/smb/wire/session-setup.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { utf16 } from "../../src/smb/wire/text.ts";
import { treeConnectRequest } from "../../src/smb/wire/tree-connect.ts";

/**
 * A small SMB 2.1 client that does what smbclient cannot: it keeps handles open with any access and share
 * mode, holds oplocks, leases and locks, and answers breaks when its test says so, or never.
 */
export class SmbStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    const name = Object.entries(STATUS).find(([, value]) => value === status)?.[0];
    super(name ?? `0x${status.toString(16)}`);
    this.status = status;
  }
}

export interface OpenOptions {
  /**
   * Letters of R, W, D, and of e and E to read and write extended attributes; "" looks at attributes only.
   */
  readonly access?: string;
  /** Rights as they stand, in place of letters. */
  readonly rights?: number;
  readonly share?: string;
  readonly disposition?: number;
  readonly isDeleteOnClose?: boolean;
  readonly isDirectory?: boolean;
  readonly oplock?: number;
  /** A lease key of 16 bytes and the state asked for, in letters of R, W, H. */
  readonly lease?: { readonly key: Buffer; readonly state: string };
  readonly attributes?: number;
  /** Room asked for in advance. */
  readonly allocation?: bigint;
  /** The context ExtA, good or bad. */
  readonly extendedAttributes?: Buffer;
  readonly hasNoEaKnowledge?: boolean;
  /** The handle is to outlive a lost connection; needs an oplock of BATCH or a lease with H. */
  readonly isDurable?: boolean;
}

/** What of a file's extended attributes is asked for: all of them without anything said. */
export interface EaQuery {
  readonly flags?: number;
  readonly index?: number;
  /** The names, encoded. */
  readonly names?: Buffer;
  readonly bytesMax?: number;
}

export interface ClientFile {
  readonly id: FileId;
  readonly oplock: number;
  readonly leaseState: string;
  readonly size: bigint;
}

export type Break =
  | { readonly kind: "oplock"; readonly id: FileId; readonly level: number }
  | { readonly kind: "lease"; readonly key: Buffer; readonly to: string; readonly isAnswerNeeded: boolean };

const ACCESS_BITS: Readonly<Record<string, number>> = {
  R: 0x1,
  W: 0x2,
  e: 0x8,
  E: 0x10,
  D: 0x1_0000,
};
const SHARE_BITS: Readonly<Record<string, number>> = { R: 1, W: 2, D: 4 };
const CACHE_BITS: Readonly<Record<string, number>> = { R: 1, H: 2, W: 4 };
/** What one credit pays. */
const EA_BYTES = 65_536;
/** Everybody may look at attributes and wait. */
const ALWAYS = 0x10_0080;

const bitsOf = (letters: string, bits: Readonly<Record<string, number>>): number =>
  [...letters].reduce((all, letter) => all | bits[letter]!, 0);
const cacheOf = (state: number): string =>
  [..."RWH"].filter((letter) => (state & CACHE_BITS[letter]!) !== 0).join("");

export class SmbTestClient {
  readonly #socket: Socket;
  readonly #frames = new FrameAssembler(1 << 24);
  readonly #waiting = new Map<bigint, { resolve: (pdu: Buffer) => void; reject: (error: Error) => void }>();
  readonly #breaks: Break[] = [];
  #onBreak: (() => void) | undefined;
  #messageId = 0n;
  #sessionId = 0n;
  #treeId = 0;
  #signer: Signer | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#frames.add(chunk, (pdu) => this.#take(Buffer.from(pdu))));
    socket.on("error", () => {});
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the connection was closed"));
    });
  }

  static async connect(to: {
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly share: string;
  }): Promise<SmbTestClient> {
    const socket = connect({ host: "127.0.0.1", port: to.port, noDelay: true });
    await once(socket, "connect");
    const client = new SmbTestClient(socket);
    await client.#login(to.user, to.password);
    const path = utf16(`\\\\127.0.0.1\\${to.share}`);
    const tree = await client.#ask(COMMAND.TREE_CONNECT, treeConnectRequest.encode({ flags: 0, path }));
    client.#treeId = decodeHeader(tree).treeId;
    return client;
  }

  /** The address this client has for the server. */
  get address(): string {
    return `${this.#socket.localAddress}:${this.#socket.localPort}`;
  }

  get sessionId(): bigint {
    return this.#sessionId;
  }

  /** Goes without a word, as a machine that lost its power. */
  vanish(): void {
    this.#socket.destroy();
  }

  /** From here on nothing that comes is read. */
  stopReading(): void {
    this.#socket.pause();
  }

  onClose(hear: () => void): void {
    this.#socket.on("close", hear);
  }

  async open(path: string, options: OpenOptions = {}): Promise<ClientFile> {
    const { access = "R", share = "RWD", lease, isDirectory = false, isDeleteOnClose = false } = options;
    const contexts: CreateContext[] = [];
    if (lease !== undefined) contexts.push({ name: "RqLs", data: leaseRequest(lease) });
    if (options.isDurable === true) contexts.push({ name: "DHnQ", data: Buffer.alloc(16) });
    if (options.allocation !== undefined)
      contexts.push({ name: "AlSi", data: allocationSize.encode({ size: options.allocation }) });
    if (options.extendedAttributes !== undefined)
      contexts.push({ name: "ExtA", data: options.extendedAttributes });
    const reply = await this.#ask(
      COMMAND.CREATE,
      createRequest.encode({
        requestedOplockLevel: lease === undefined ? (options.oplock ?? OPLOCK.NONE) : OPLOCK.LEASE,
        impersonationLevel: 2,
        desiredAccess: options.rights ?? bitsOf(access, ACCESS_BITS) | ALWAYS,
        fileAttributes: options.attributes ?? 0,
        shareAccess: bitsOf(share, SHARE_BITS),
        createDisposition: options.disposition ?? DISPOSITION.OPEN,
        createOptions:
          (isDirectory ? CREATE_OPTION.DIRECTORY_FILE : 0) |
          (isDeleteOnClose ? CREATE_OPTION.DELETE_ON_CLOSE : 0) |
          (options.hasNoEaKnowledge === true ? CREATE_OPTION.NO_EA_KNOWLEDGE : 0),
        name: utf16(path),
        contexts: encodeCreateContexts(contexts),
      }),
    );
    const { fileId: id, oplockLevel, endOfFile, contexts: answers } = createResponse.decode(reply);
    const granted = decodeCreateContexts(answers).find(({ name }) => name === "RqLs");
    const leaseState = granted === undefined ? "" : cacheOf(decodeLease(granted.data).state);
    return { id, oplock: oplockLevel, leaseState, size: endOfFile };
  }

  async read({ id }: ClientFile, offset: number, length: number): Promise<Buffer> {
    const body = { flags: 0, length, offset: BigInt(offset), fileId: id };
    const more = { minimumCount: 0, channel: 0, remainingBytes: 0 };
    const reply = await this.#ask(COMMAND.READ, pad(readRequest.encode({ ...body, ...more })));
    return readResponse.decode(reply).data;
  }

  async write({ id }: ClientFile, offset: number, data: Buffer | string, flags = 0): Promise<void> {
    const body = { offset: BigInt(offset), fileId: id, channel: 0, remainingBytes: 0, flags };
    await this.#ask(COMMAND.WRITE, writeRequest.encode({ ...body, data: Buffer.from(data) }));
  }

  async flush({ id }: ClientFile): Promise<void> {
    await this.#ask(COMMAND.FLUSH, flushRequest.encode({ fileId: id }));
  }

  async close({ id }: ClientFile): Promise<void> {
    await this.#ask(COMMAND.CLOSE, closeRequest.encode({ flags: 0, fileId: id }));
  }

  async lock(file: ClientFile, offset: number, length: number, isExclusive = true): Promise<void> {
    const kind = isExclusive ? LOCK_FLAG.EXCLUSIVE : LOCK_FLAG.SHARED;
    await this.#lock(file, offset, length, kind | LOCK_FLAG.FAIL_IMMEDIATELY);
  }

  /** Waits until the lock is free. */
  async lockPatiently(file: ClientFile, offset: number, length: number): Promise<void> {
    await this.#lock(file, offset, length, LOCK_FLAG.EXCLUSIVE);
  }

  /** What happens next in a directory, as `action name`; "too much" when the client is to look for itself. */
  async watch({ id }: ClientFile, filter = 0x17, isRecursive = false): Promise<string[]> {
    const flags = isRecursive ? NOTIFY_WATCH_TREE : 0;
    const body = { flags, outputBufferLength: 65_536, fileId: id, completionFilter: filter };
    const reply = await this.#send(COMMAND.CHANGE_NOTIFY, changeNotifyRequest.encode(body));
    const { status } = decodeHeader(reply);
    if (status === STATUS.NOTIFY_ENUM_DIR) return ["too much"];
    if (status !== STATUS.SUCCESS) throw new SmbStatus(status);
    const at = reply.readUInt16LE(HEADER_BYTES + 2);
    const data = reply.subarray(at, at + reply.readUInt32LE(HEADER_BYTES + 4));
    return decodeNotifyRecords(data).map(({ action, name }) => `${action} ${name}`);
  }

  async unlock(file: ClientFile, offset: number, length: number): Promise<void> {
    await this.#lock(file, offset, length, LOCK_FLAG.UNLOCK);
  }

  async #lock({ id }: ClientFile, offset: number, length: number, flags: number): Promise<void> {
    const locks = [{ offset: BigInt(offset), length: BigInt(length), flags }];
    await this.#ask(COMMAND.LOCK, encodeLockRequest({ lockSequence: 0, fileId: id, locks }));
  }

  async setDeletePending(file: ClientFile, isPending: boolean): Promise<void> {
    const data = dispositionInformation.encode({ deletePending: isPending ? 1 : 0 });
    await this.#setInfo(file, FILE_CLASS.DISPOSITION, data);
  }

  async rename(file: ClientFile, path: string, isReplacing = false): Promise<void> {
    const name = utf16(path);
    const head = Buffer.alloc(20);
    head[0] = isReplacing ? 1 : 0;
    head.writeUInt32LE(name.length, 16);
    await this.#setInfo(file, FILE_CLASS.RENAME, Buffer.concat([head, name]));
  }

  async #setInfo({ id }: ClientFile, informationClass: number, data: Buffer): Promise<void> {
    const kind = { infoType: INFO_TYPE.FILE, informationClass };
    const body = setInfoRequest.encode({ ...kind, additionalInformation: 0, fileId: id, data });
    await this.#ask(COMMAND.SET_INFO, body);
  }

  /** The parts (SECURITY_PART) that SDDL names are set. */
  async setSecurity({ id }: ClientFile, sddl: string, parts: number = SECURITY_PART.DACL): Promise<void> {
    const data = encodeSecurityDescriptor(parseSddl(sddl));
    const kind = { infoType: INFO_TYPE.SECURITY, informationClass: 0, additionalInformation: parts };
    await this.#ask(COMMAND.SET_INFO, setInfoRequest.encode({ ...kind, fileId: id, data }));
  }

  /** Owner, group and list, as SDDL. */
  async security({ id }: ClientFile): Promise<string> {
    const kind = { infoType: INFO_TYPE.SECURITY, informationClass: 0, additionalInformation: 7, flags: 0 };
    const body = { ...kind, outputBufferLength: 65_536, fileId: id, input: Buffer.alloc(0) };
    const reply = await this.#ask(COMMAND.QUERY_INFO, pad(queryInfoRequest.encode(body)));
    return printSddl(decodeSecurityDescriptor(outputResponse.decode(reply).output));
  }

  async queryInfo(
    { id }: ClientFile,
    informationClass: number,
    infoType: number = INFO_TYPE.FILE,
  ): Promise<Buffer> {
    const kind = { infoType, informationClass, additionalInformation: 0, flags: 0 };
    const body = { ...kind, outputBufferLength: 4_096, fileId: id, input: Buffer.alloc(0) };
    const reply = await this.#ask(COMMAND.QUERY_INFO, pad(queryInfoRequest.encode(body)));
    return outputResponse.decode(reply).output;
  }

  /** A list, or what is sent in its place. */
  async setEas(file: ClientFile, list: readonly ExtendedAttribute[] | Buffer): Promise<void> {
    const data = Buffer.isBuffer(list) ? list : encodeFullEas(list, EA_BYTES).data;
    await this.#setInfo(file, FILE_CLASS.FULL_EA, data);
  }

  async queryEas(
    { id }: ClientFile,
    query: EaQuery = {},
  ): Promise<{ eas: ExtendedAttribute[]; isAll: boolean }> {
    const { flags = 0, index = 0, names = Buffer.alloc(0), bytesMax = EA_BYTES } = query;
    const kind = { infoType: INFO_TYPE.FILE, informationClass: FILE_CLASS.FULL_EA };
    const asked = { additionalInformation: index, flags, outputBufferLength: bytesMax };
    const body = queryInfoRequest.encode({ ...kind, ...asked, fileId: id, input: names });
    const reply = await this.#send(COMMAND.QUERY_INFO, pad(body));
    const { status } = decodeHeader(reply);
    const isAll = status === STATUS.SUCCESS;
    if (!isAll && status !== STATUS.BUFFER_OVERFLOW) throw new SmbStatus(status);
    return { eas: decodeFullEas(outputResponse.decode(reply).output), isAll };
  }

  /** What one QUERY_DIRECTORY answers: all there is of a small directory. */
  async list({ id }: ClientFile, pattern: string, isRestart = false): Promise<DirectoryEntry[]> {
    const flags = isRestart ? QUERY_DIRECTORY_FLAG.RESTART_SCANS : 0;
    const informationClass = FILE_CLASS.ID_BOTH_DIRECTORY;
    const body = { informationClass, flags, fileIndex: 0, fileId: id, outputBufferLength: 65_536 };
    const encoded = queryDirectoryRequest.encode({ ...body, pattern: utf16(pattern) });
    const reply = await this.#ask(COMMAND.QUERY_DIRECTORY, pad(encoded));
    return decodeDirectoryEntries(informationClass, outputResponse.decode(reply).output);
  }

  async ioctl({ id }: ClientFile, ctlCode: number, input: Buffer = Buffer.alloc(0)): Promise<Buffer> {
    const sizes = { maxInputResponse: 0, maxOutputResponse: 4_096, flags: IOCTL_IS_FSCTL };
    const body = { ctlCode, fileId: id, ...sizes, input, output: Buffer.alloc(0) };
    return ioctlResponse.decode(await this.#ask(COMMAND.IOCTL, pad(ioctlRequest.encode(body)))).output;
  }

  /** The next break the server sends, or has sent. */
  async nextBreak(): Promise<Break> {
    while (this.#breaks.length === 0) {
      await new Promise<void>((resolve) => {
        this.#onBreak = resolve;
      });
    }
    return this.#breaks.shift()!;
  }

  get breaksHeard(): number {
    return this.#breaks.length;
  }

  async acknowledgeLease(key: Buffer, state: string): Promise<void> {
    const leaseState = bitsOf(state, CACHE_BITS);
    const body = leaseBreak.encode({ flags: 0, leaseKey: key, leaseState, leaseDuration: 0n });
    await this.#ask(COMMAND.OPLOCK_BREAK, body);
  }

  async acknowledgeOplock(id: FileId, oplockLevel: number): Promise<void> {
    await this.#ask(COMMAND.OPLOCK_BREAK, oplockBreak.encode({ oplockLevel, fileId: id }));
  }

  async #login(user: string, password: string): Promise<void> {
    const guid = Buffer.alloc(16, user.length);
    guid.writeUInt32LE(this.#socket.localPort ?? 0);
    const hello = { securityMode: 1, capabilities: 2, clientGuid: guid, contexts: [] };
    await this.#ask(COMMAND.NEGOTIATE, encodeNegotiateRequest({ ...hello, dialects: [DIALECT.SMB_2_1] }));
    const first = await this.#send(COMMAND.SESSION_SETUP, setup(ntlmNegotiate()));
    this.#sessionId = decodeHeader(first).sessionId;
    const challenge = sessionSetupResponse.decode(first).token;
    const key = ntowfv2(ntHash(password), user, "");
    const blob = Buffer.concat([
      Buffer.from("0101000000000000", "hex"),
      Buffer.alloc(40, 1),
      Buffer.alloc(4),
    ]);
    blob.fill(0, 24, 28);
    blob.fill(0, 28);
    const proof = ntProof(key, challenge.subarray(24, 32), blob);
    const token = ntlmAuthenticate(user, Buffer.concat([proof, blob]));
    await this.#ask(COMMAND.SESSION_SETUP, setup(token));
    this.#signer = signerOf(SIGNING.HMAC_SHA256, sessionBaseKey(key, proof));
  }

  /** As `#send`, but a refusal is thrown. */
  async #ask(command: number, body: Buffer): Promise<Buffer> {
    const reply = await this.#send(command, body);
    const { status } = decodeHeader(reply);
    if (status !== STATUS.SUCCESS) throw new SmbStatus(status);
    return reply;
  }

  #send(command: number, body: Buffer): Promise<Buffer> {
    const messageId = this.#messageId++;
    const pdu = Buffer.alloc(HEADER_BYTES + body.length);
    const header: Header = {
      creditCharge: 1,
      status: 0,
      command,
      credits: 64,
      flags: this.#signer === undefined ? 0 : FLAG.SIGNED,
      nextCommand: 0,
      messageId,
      asyncId: 0n,
      processId: 0,
      treeId: this.#treeId,
      sessionId: this.#sessionId,
    };
    writeHeader(pdu, header);
    pdu.set(body, HEADER_BYTES);
    const signature = this.#signer?.([pdu], { messageId, isFromServer: false, isCancel: false });
    if (signature !== undefined) pdu.set(signature, SIGNATURE_AT);
    const answered = new Promise<Buffer>((resolve, reject) => {
      this.#waiting.set(messageId, { resolve, reject });
    });
    this.#socket.write(Buffer.concat([prefixFor(pdu.length), pdu]));
    return answered;
  }

  #take(pdu: Buffer): void {
    const { messageId, status, command } = decodeHeader(pdu);
    if (messageId === NO_MESSAGE_ID) {
      if (command === COMMAND.OPLOCK_BREAK) this.#heardBreak(pdu);
      return;
    }
    if (status === STATUS.PENDING) return;
    this.#waiting.get(messageId)?.resolve(pdu);
    this.#waiting.delete(messageId);
  }

  #heardBreak(pdu: Buffer): void {
    if (pdu.readUInt16LE(HEADER_BYTES) === leaseBreakNotification.size) {
      const { leaseKey, newState, flags } = leaseBreakNotification.decode(pdu);
      this.#breaks.push({ kind: "lease", key: leaseKey, to: cacheOf(newState), isAnswerNeeded: flags === 1 });
    } else {
      const { fileId, oplockLevel } = oplockBreak.decode(pdu);
      this.#breaks.push({ kind: "oplock", id: fileId, level: oplockLevel });
    }
    this.#onBreak?.();
  }
}

function leaseRequest({ key, state }: { readonly key: Buffer; readonly state: string }): Buffer {
  const rest = { flags: 0, duration: 0n, parentKey: Buffer.alloc(16), epoch: 0 };
  return encodeLease({ version: 1, key, state: bitsOf(state, CACHE_BITS), ...rest });
}

/** A body whose StructureSize counts one byte of a part that is empty. */
function pad(body: Buffer): Buffer {
  return Buffer.concat([body, Buffer.alloc(1)]);
}

function setup(token: Buffer): Buffer {
  const fixed = { flags: 0, securityMode: 1, capabilities: 0, channel: 0, previousSessionId: 0n };
  return sessionSetupRequest.encode({ ...fixed, token });
}

const NTLM_FLAGS = 0x2008_8205;

function ntlmNegotiate(): Buffer {
  const message = Buffer.alloc(32);
  message.latin1Write("NTLMSSP\0", 0);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(NTLM_FLAGS, 12);
  return message;
}

function ntlmAuthenticate(user: string, ntResponse: Buffer): Buffer {
  const name = utf16(user);
  const head = Buffer.alloc(64);
  head.latin1Write("NTLMSSP\0", 0);
  head.writeUInt32LE(3, 8);
  const span = (at: number, length: number, offset: number): void => {
    head.writeUInt16LE(length, at);
    head.writeUInt16LE(length, at + 2);
    head.writeUInt32LE(offset, at + 4);
  };
  span(20, ntResponse.length, 64);
  span(36, name.length, 64 + ntResponse.length);
  head.writeUInt32LE(NTLM_FLAGS, 60);
  return Buffer.concat([head, ntResponse, name]);
}
