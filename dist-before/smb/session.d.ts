import type { Connection } from "./connection.ts";
import { MessageCipher } from "./crypto/encryption.ts";
import type { Login } from "./crypto/login.ts";
import type { PreauthHash } from "./crypto/preauth.ts";
import { type Signer } from "./crypto/signing.ts";
import type { Share } from "./file-system.ts";
import type { Open } from "./open.ts";
import type { FileId } from "./wire/layout.ts";
/**
 * A login and what was opened under it. It lives on one connection: there is no multichannel. While its state is
 * "inProgress" it has a login and nothing else.
 */
export declare class Session {
    #private;
    readonly id: bigint;
    readonly connection: Connection;
    state: "inProgress" | "valid" | "ended";
    login: Login | undefined;
    preauth: PreauthHash;
    account: string;
    user: string;
    workstation: string;
    signer: Signer | undefined;
    /** Opens what the client sealed, and seals what we send. */
    opener: MessageCipher | undefined;
    sealer: MessageCipher | undefined;
    isEncryptionDemanded: boolean;
    isSigningRequired: boolean;
    /** The client has encrypted: what we send on our own account is encrypted too. */
    usesEncryption: boolean;
    readonly trees: Map<number, Tree>;
    readonly opens: Map<bigint, Open>;
    constructor(id: bigint, connection: Connection, preauth: PreauthHash);
    /** Keys are made once: a second login on the session proves the user again and changes no key. */
    establishKeys(sessionKey: Buffer): void;
    addTree(make: (id: number) => Tree): Tree;
    openOf(fileId: FileId, tree: Tree | undefined): Open;
}
/** A share as a session is connected to it, or the share of pipes. */
export interface Tree {
    readonly id: number;
    readonly session: Session;
    readonly share: Share | undefined;
}
