export declare function printToken(key: string): string;
export declare function parseToken(text: string): string;
