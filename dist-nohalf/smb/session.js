import { cipherKeyBytes, MessageCipher } from "./crypto/encryption.js";
import { deriveSessionKeys } from "./crypto/session-keys.js";
import { signerOf } from "./crypto/signing.js";
import { refuse, STATUS } from "./status.js";
/**
 * A login and what was opened under it. It lives on one connection: there is no multichannel. While its state is
 * "inProgress" it has a login and nothing else.
 */
export class Session {
    id;
    connection;
    state = "inProgress";
    login;
    preauth;
    account = "";
    user = "";
    workstation = "";
    signer;
    /** Opens what the client sealed, and seals what we send. */
    opener;
    sealer;
    isEncryptionDemanded = false;
    isSigningRequired = true;
    /** The client has encrypted: what we send on our own account is encrypted too. */
    usesEncryption = false;
    trees = new Map();
    opens = new Map();
    #lastTreeId = 0;
    constructor(id, connection, preauth) {
        this.id = id;
        this.connection = connection;
        this.preauth = preauth;
    }
    /** Keys are made once: a second login on the session proves the user again and changes no key. */
    establishKeys(sessionKey) {
        const { dialect, cipher, signing } = this.connection;
        const keys = deriveSessionKeys({
            dialect,
            sessionKey,
            preauthHash: this.connection.preauth === undefined ? undefined : this.preauth,
            cipherKeyBytes: cipherKeyBytes(cipher),
        });
        this.signer = signerOf(signing, keys.signing);
        if (cipher !== 0 && keys.clientToServer !== undefined && keys.serverToClient !== undefined) {
            this.opener = new MessageCipher(cipher, keys.clientToServer);
            this.sealer = new MessageCipher(cipher, keys.serverToClient);
        }
    }
    addTree(make) {
        const tree = make(++this.#lastTreeId);
        this.trees.set(tree.id, tree);
        return tree;
    }
    openOf(fileId, tree) {
        const open = this.opens.get(fileId.volatile);
        if (open === undefined || open.fileId.persistent !== fileId.persistent || open.tree !== tree)
            throw refuse(STATUS.FILE_CLOSED);
        return open;
    }
}
