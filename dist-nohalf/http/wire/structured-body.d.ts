export declare const STRUCTURED_BODY = "XSM/1.0; properties=crc64";
type HeaderValues = Readonly<Record<string, string | undefined>>;
/** The length of the content within, when the client sends a structured body. */
export declare function readStructuredBody(headers: HeaderValues): {
    readonly contentLength: number;
} | undefined;
/** Whether the client wants the answer as one. */
export declare function wantsStructuredBody(headers: HeaderValues): boolean;
/**
 * The content of a structured body, in pieces of the buffers it came in. A reader that sees the end has seen
 * bytes whose checksums were right; anything else is thrown.
 */
export declare function decodeStructuredBody(source: AsyncIterable<Buffer>, { contentLength }: {
    readonly contentLength: number;
}): AsyncGenerator<Buffer, void, undefined>;
export declare function structuredLength(contentLength: number): number;
/** Content as a structured body. The source must give exactly `contentLength` bytes. */
export declare function encodeStructuredBody(source: AsyncIterable<Buffer>, { contentLength }: {
    readonly contentLength: number;
}): AsyncGenerator<Buffer, void, undefined>;
export {};
