/** What a reference between & and ; stands for; undefined when it is none we know or names no legal character. */
export declare function characterOf(reference: string): string | undefined;
export declare function isNameStart(code: number): boolean;
export declare function isNameChar(code: number): boolean;
