/** The header of an encrypted message: tag, nonce, size of the plain text, session. */
export declare const TRANSFORM_BYTES = 52;
export declare const TRANSFORM_AAD_AT = 20;
export interface TransformHeader {
    readonly signature: Buffer;
    readonly nonce: Buffer;
    readonly originalMessageSize: number;
    readonly flags: number;
    readonly sessionId: bigint;
}
export declare function decodeTransform(payload: Buffer): TransformHeader;
export declare function encodeTransform(header: Omit<TransformHeader, "flags">): Buffer;
