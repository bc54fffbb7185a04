export declare const CIPHER: {
    readonly AES_128_CCM: 1;
    readonly AES_128_GCM: 2;
    readonly AES_256_CCM: 3;
    readonly AES_256_GCM: 4;
};
export declare function cipherKeyBytes(cipher: number): number;
/** One direction of a session's encryption. */
export declare class MessageCipher {
    #private;
    constructor(cipher: number, key: Buffer);
    /** The transform header and the ciphertext, ready to be sent one after the other. A nonce is used once: it counts. */
    encrypt(sessionId: bigint, parts: readonly Buffer[]): Buffer[];
    /** The plain text; a message that was changed on its way is a breach. */
    decrypt(payload: Buffer): Buffer;
}
