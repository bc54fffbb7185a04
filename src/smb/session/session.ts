import { cipherKeyBytes, MessageCipher } from "../crypto/encryption.ts";
import type { Login, LoginAccount } from "../crypto/login.ts";
import type { PreauthHash } from "../crypto/preauth.ts";
import { deriveSessionKeys } from "../crypto/session-keys.ts";
import { type Signer, signerOf } from "../crypto/signing.ts";
import type { Share } from "../file-system.ts";
import type { Connection } from "../transport/connection.ts";
import type { FileId } from "../wire/layout.ts";
import { refuse, STATUS } from "../wire/status.ts";
import type { Open } from "./open.ts";

/**
 * A login and what was opened under it. It is made on one connection; others may be bound to it later (multichannel),
 * and it lives as long as one of them does. While its state is "inProgress" it has a login and nothing else.
 */
export class Session {
  readonly id: bigint;
  /** Where it was made: what was negotiated there holds for the session. */
  readonly connection: Connection;
  /** The connections that carry it, each with the key that signs there. */
  readonly channels = new Map<Connection, Signer>();
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
  /** The holder has logged in again as nobody: what is open stays usable, and nothing more is opened. */
  isAnonymous = false;
  /** Opens what the client sealed, and seals what we send. */
  opener: MessageCipher | undefined;
  sealer: MessageCipher | undefined;
  isEncryptionDemanded = false;
  isSigningRequired = true;
  /** The client has encrypted: what we send on our own account is encrypted too. */
  usesEncryption = false;
  readonly trees = new Map<number, Tree>();
  readonly opens = new Map<bigint, Open>();
  #lastTreeId = 0;

  constructor(id: bigint, connection: Connection, preauth: PreauthHash) {
    this.id = id;
    this.connection = connection;
    this.preauth = preauth;
  }

  /** Keys are made once: a second login on the session proves the user again and changes no key. */
  establishKeys(sessionKey: Buffer): void {
    const { dialect, cipher, signing } = this.connection;
    const keys = deriveSessionKeys({
      dialect,
      sessionKey,
      preauthHash: this.connection.preauth === undefined ? undefined : this.preauth,
      cipherKeyBytes: cipherKeyBytes(cipher),
    });
    this.signer = signerOf(signing, keys.signing);
    this.channels.set(this.connection, this.signer);
    if (cipher !== 0 && keys.clientToServer !== undefined && keys.serverToClient !== undefined) {
      this.opener = new MessageCipher(cipher, keys.clientToServer);
      this.sealer = new MessageCipher(cipher, keys.serverToClient);
    }
  }

  /** One more connection for the session. It signs with a key of its own; the keys of encryption stay. */
  bind(
    connection: Connection,
    { sessionKey, ntHash }: { readonly sessionKey: Buffer; readonly ntHash: Buffer | undefined },
    preauth: PreauthHash,
  ): void {
    const { dialect, cipher, signing } = connection;
    const { signing: key } = deriveSessionKeys({
      dialect,
      sessionKey,
      preauthHash: connection.preauth === undefined ? undefined : preauth,
      cipherKeyBytes: cipherKeyBytes(cipher),
    });
    this.channels.set(connection, signerOf(signing, key));
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
  get reachable(): Connection | undefined {
    for (const connection of this.channels.keys()) if (!connection.isClosed) return connection;
    return undefined;
  }

  addTree(make: (id: number) => Tree): Tree {
    const tree = make(++this.#lastTreeId);
    this.trees.set(tree.id, tree);
    return tree;
  }

  openOf(fileId: FileId, tree: Tree | undefined): Open {
    const open = this.opens.get(fileId.volatile);
    if (open === undefined || open.fileId.persistent !== fileId.persistent || open.tree !== tree)
      throw refuse(STATUS.FILE_CLOSED);
    return open;
  }
}

/** A login that will bind a connection to a session, once it is through. */
export interface Binding {
  readonly login: Login;
  preauth: PreauthHash;
}

/** A share as a session is connected to it, or the share of pipes. */
export interface Tree {
  readonly id: number;
  readonly session: Session;
  readonly share: Share | undefined;
}
