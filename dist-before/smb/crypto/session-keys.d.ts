/** Keys of a session, derived from the key of its login ([MS-SMB2] 3.1.4.2). */
export interface SessionKeys {
    readonly signing: Buffer;
    /** Requests of the client are encrypted with this, our replies with the other. Not below 3.0. */
    readonly clientToServer: Buffer | undefined;
    readonly serverToClient: Buffer | undefined;
    readonly application: Buffer | undefined;
}
export interface KeyInput {
    readonly dialect: number;
    readonly sessionKey: Buffer;
    /** SHA-512 over the messages up to the last request of the login; only 3.1.1 has it. */
    readonly preauthHash: Buffer | undefined;
    readonly cipherKeyBytes: number;
}
/** SP800-108 in counter mode with HMAC-SHA256; one round gives all the bits that are ever asked for. */
export declare function deriveKey(key: Buffer, { label, context, bytes }: {
    readonly label: string;
    readonly context: Buffer;
    readonly bytes: number;
}): Buffer;
export declare function deriveSessionKeys(input: KeyInput): SessionKeys;
