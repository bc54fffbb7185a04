/** The running hash of 3.1.1 over the messages of negotiation and login. */
export type PreauthHash = Buffer;
export declare const PREAUTH_START: PreauthHash;
export declare function preauthAfter(hash: PreauthHash, ...parts: readonly Buffer[]): PreauthHash;
