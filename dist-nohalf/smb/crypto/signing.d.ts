export declare const SIGNING: {
    readonly HMAC_SHA256: 0;
    readonly AES_CMAC: 1;
    readonly AES_GMAC: 2;
};
/** What GMAC makes its nonce of: no two messages of one direction have the same. */
export interface SignedMessage {
    readonly messageId: bigint;
    readonly isFromServer: boolean;
    readonly isCancel: boolean;
}
/** Signs whole PDUs, given as the buffers they are sent in, with the place of the signature zero. */
export type Signer = (parts: readonly Buffer[], message: SignedMessage) => Buffer;
export declare function signerOf(algorithm: number, key: Buffer): Signer;
/** Checks a request's signature. The place of it in `pdu` is zero afterwards. */
export declare function isSignatureValid(signer: Signer, pdu: Buffer, message: SignedMessage): boolean;
