export declare function safeUrl(url: string): string;
/** Headers as they may be logged. */
export declare function safeHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Record<string, string>;
/** Running text (a message, a stack, a whole line) with every signature, key and token in it masked. */
export declare function safeText(text: string): string;
