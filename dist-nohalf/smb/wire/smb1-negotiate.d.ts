export declare function decodeSmb1Negotiate(payload: Buffer): string[];
export declare function encodeSmb1Negotiate(dialects: readonly string[]): Buffer;
