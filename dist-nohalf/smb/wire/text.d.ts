/** Strings on the wire are UTF-16LE, without a terminator, their length in bytes. */
export declare function utf16(text: string): Buffer;
export declare function textOf(bytes: Buffer): string;
