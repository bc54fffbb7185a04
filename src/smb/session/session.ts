import type { ShareRef } from "../../services/file/names.ts";
import type { Acls } from "../../services/file/security/acls.ts";
import { cipherKeyBytes, MessageCipher } from "../crypto/encryption.ts";
import type { Login, LoginAccount } from "../crypto/login.ts";
import type { PreauthHash } from "../crypto/preauth.ts";
import { deriveSessionKeys } from "../crypto/session-keys.ts";
import { type Signer, signerOf } from "../crypto/signing.ts";
import type { FileId } from "../wire/layout.ts";
import { refuse, STATUS } from "../wire/status.ts";
import type { AnyOpen } from "./open.ts";

/** A connection, as far as a session needs it. */
export interface Channel {
  readonly address: string;
  readonly clientGuid: Buffer;
  readonly dialect: number;
  readonly cipher: number;
  readonly signing: number;
  readonly capabilities: number;
  /** Only with 3.1.1. */
  readonly preauth: PreauthHash | undefined;
  readonly isClosed: boolean;
  readonly sessions: Map<bigint, Session>;
  /** Files and pipes that are open in the sessions made on this connection. */
  openCount: number;
  write(parts: readonly Buffer[], encryptFor: Session | undefined): void;
  /** Ends waiting requests. */
  cancelWhere(
    isMeant: (request: { readonly session: Session | undefined; readonly tree: Tree | undefined }) => boolean,
  ): void;
  close(): void;
}

/**
 * A login and what was opened under it. It starts on one connection; others may be bound to it later
 * (multichannel), and it lasts as long as one of them does. While its state is "inProgress" it has a login
 * and nothing else.
 */
export class Session {
  readonly id: bigint;
  /** Where it started: what was negotiated there holds for the session. */
  readonly connection: Channel;
  /** The connections that carry it, each with the key that signs there. */
  readonly channels = new Map<Channel, Signer>();
  state: "inProgress" | "valid" | "ended" = "inProgress";
  login: Login | undefined;
  preauth: PreauthHash;
  account = "";
  /** Hash of the account key that the login, or its last repetition, was made with. */
  ntHash: Buffer | undefined;
  /** The same of other connections' logins, each hash once: an account has two keys at most. */
  readonly #boundHashes: Buffer[] = [];
  user = "";
  workstation = "";
  /** The session's own key: it signs on the first connection, and while another one is being bound. */
  signer: Signer | undefined;
  /** The client has logged in again anonymously: opens stay usable, and no new ones are made. */
  isAnonymous = false;
  decryptor: MessageCipher | undefined;
  encryptor: MessageCipher | undefined;
  isEncryptionDemanded = false;
  isSigningRequired = true;
  /** The client has encrypted a message: the server encrypts its notifications, too. */
  usesEncryption = false;
  readonly trees = new Map<number, Tree>();
  readonly opens = new Map<bigint, AnyOpen>();
  #lastTreeId = 0;

  constructor(id: bigint, connection: Channel, preauth: PreauthHash) {
    this.id = id;
    this.connection = connection;
    this.preauth = preauth;
  }

  /** Keys are derived once: a second login on the session proves the user again and changes no key. */
  establishKeys(sessionKey: Buffer): void {
    const { cipher, signing } = this.connection;
    const keys = deriveKeys(this.connection, sessionKey, this.preauth);
    this.signer = signerOf(signing, keys.signing);
    this.channels.set(this.connection, this.signer);
    if (cipher !== 0 && keys.clientToServer !== undefined && keys.serverToClient !== undefined) {
      this.decryptor = new MessageCipher(cipher, keys.clientToServer);
      this.encryptor = new MessageCipher(cipher, keys.serverToClient);
    }
  }

  /** Adds a connection. It signs with a key of its own; the encryption keys stay. */
  bind(
    connection: Channel,
    { sessionKey, ntHash }: { readonly sessionKey: Buffer; readonly ntHash: Buffer | undefined },
    preauth: PreauthHash,
  ): void {
    const { signing } = deriveKeys(connection, sessionKey, preauth);
    this.channels.set(connection, signerOf(connection.signing, signing));
    connection.sessions.set(this.id, this);
    if (ntHash !== undefined && !this.#boundHashes.some((hash) => hash.equals(ntHash)))
      this.#boundHashes.push(ntHash);
  }

  /** Whether every key that it was logged in with is still a key of the account. */
  isAllowedBy(account: LoginAccount | undefined): boolean {
    const used = this.ntHash === undefined ? [] : [this.ntHash, ...this.#boundHashes];
    return used.every((key) => account?.ntHashes.some((hash) => hash.equals(key)) === true);
  }

  /** A connection that can reach the client; undefined when none is left. */
  get reachable(): Channel | undefined {
    for (const connection of this.channels.keys()) if (!connection.isClosed) return connection;
    return undefined;
  }

  addTree(make: (id: number) => Tree): Tree {
    const tree = make(++this.#lastTreeId);
    this.trees.set(tree.id, tree);
    return tree;
  }

  addOpen(open: AnyOpen): void {
    this.opens.set(open.fileId.volatile, open);
    this.connection.openCount++;
  }

  /** False when the session does not name the open any more. */
  removeOpen({ fileId }: AnyOpen): boolean {
    const isRemoved = this.opens.delete(fileId.volatile);
    if (isRemoved) this.connection.openCount--;
    return isRemoved;
  }

  openOf(fileId: FileId, tree: Tree | undefined): AnyOpen {
    const open = this.opens.get(fileId.volatile);
    if (open === undefined || open.fileId.persistent !== fileId.persistent || open.tree !== tree)
      throw refuse(STATUS.FILE_CLOSED);
    return open;
  }
}

function deriveKeys({ dialect, cipher, preauth }: Channel, sessionKey: Buffer, hash: PreauthHash) {
  const preauthHash = preauth === undefined ? undefined : hash;
  return deriveSessionKeys({ dialect, sessionKey, preauthHash, cipherKeyBytes: cipherKeyBytes(cipher) });
}

/** A login in progress that binds a connection to a session. */
export interface Binding {
  readonly login: Login;
  preauth: PreauthHash;
}

export interface Share {
  readonly ref: ShareRef;
  /** Names the contents: a share that was deleted and created again has another id. */
  readonly id: bigint;
  /** Undefined where ACLs are not enforced. */
  readonly acls: Acls | undefined;
}

/** A tree connect. */
export interface Tree {
  readonly id: number;
  readonly session: Session;
  /** Undefined for the share of pipes. */
  readonly share: Share | undefined;
}
