export declare function printMessageId(contents: bigint, sequence: bigint): string;
/** The sequence an id of these contents names; undefined for any other text. */
export declare function parseMessageId(contents: bigint, text: string): bigint | undefined;
