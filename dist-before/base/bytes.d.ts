/** Binary strings: one character for each byte. Node's own methods for them are fast but missing from its types. */
declare global {
    interface Buffer {
        latin1Slice(start?: number, end?: number): string;
        latin1Write(text: string, offset?: number, length?: number): number;
        utf8Write(text: string, offset?: number, length?: number): number;
        utf8Slice(start?: number, end?: number): string;
        hexSlice(start?: number, end?: number): string;
    }
}
export declare function bytesOfBinary(text: string): Buffer;
/** All pieces of a stream in one buffer. */
export declare function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer>;
