/**
 * Digests that travel with a body. The client may declare one of two, MD5 or CRC64; the server may want one for
 * itself (Put Blob stores the MD5, most answers carry the CRC64). Each is computed once, while the bytes pass.
 */
export interface DeclaredDigest {
    /** Content-MD5 in Base64, well-formed. */
    readonly md5?: string;
    /** x-ms-content-crc64 in Base64, well-formed. */
    readonly crc64?: string;
}
type HeaderValues = Readonly<Record<string, string | undefined>>;
export declare function isMd5Base64(text: string): boolean;
/** What the client declared about its body, checked for form. */
export declare function readDeclaredDigest(headers: HeaderValues): DeclaredDigest;
export interface DigestOptions {
    readonly declared: DeclaredDigest;
    /** Also computed when not declared. */
    readonly wantsMd5?: boolean;
    readonly wantsCrc64?: boolean;
}
/**
 * A body that checks itself: the bytes pass through unchanged, and when the last has passed the declared digest
 * is compared. A mismatch is thrown to whoever reads, in place of the end of the stream, so a reader that saw
 * the end saw the right bytes. It must not commit anything before.
 */
export declare class CheckedBody implements AsyncIterable<Buffer> {
    #private;
    bytesRead: number;
    constructor(source: AsyncIterable<Buffer>, options: DigestOptions);
    [Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined>;
    /** Base64, once the body has been read to its end; undefined when nobody asked for it. */
    get md5(): string | undefined;
    get crc64(): string | undefined;
}
export declare function checkedBody(source: AsyncIterable<Buffer>, options: DigestOptions): CheckedBody;
/** The same for a body that is already in memory. */
export declare function checkBytes(bytes: Uint8Array, options: DigestOptions): {
    readonly md5: string | undefined;
    readonly crc64: string | undefined;
};
export {};
