export declare const DIALECT: {
    readonly SMB_2_0_2: 514;
    readonly SMB_2_1: 528;
    readonly SMB_3_0: 768;
    readonly SMB_3_0_2: 770;
    readonly SMB_3_1_1: 785;
    /** Only in the answer to an SMB1 NEGOTIATE: "ask again in SMB2". */
    readonly WILDCARD: 767;
};
export declare const SECURITY_MODE: {
    readonly SIGNING_ENABLED: 1;
    readonly SIGNING_REQUIRED: 2;
};
export declare const CAPABILITY: {
    readonly DFS: 1;
    readonly LEASING: 2;
    readonly LARGE_MTU: 4;
    readonly MULTI_CHANNEL: 8;
    readonly PERSISTENT_HANDLES: 16;
    readonly DIRECTORY_LEASING: 32;
    readonly ENCRYPTION: 64;
};
export declare const CONTEXT: {
    readonly PREAUTH_INTEGRITY: 1;
    readonly ENCRYPTION: 2;
    readonly COMPRESSION: 3;
    readonly NETNAME: 5;
    readonly SIGNING: 8;
};
export declare const PREAUTH_SHA512 = 1;
export interface NegotiateContext {
    readonly type: number;
    readonly data: Buffer;
}
export interface NegotiateRequest {
    readonly securityMode: number;
    readonly capabilities: number;
    readonly clientGuid: Buffer;
    readonly dialects: readonly number[];
    /** Only when 3.1.1 is among the dialects. */
    readonly contexts: readonly NegotiateContext[];
}
export declare function decodeNegotiateRequest(pdu: Buffer): NegotiateRequest;
export declare function encodeNegotiateRequest(value: NegotiateRequest): Buffer;
export interface NegotiateResponse {
    readonly securityMode: number;
    readonly dialect: number;
    readonly serverGuid: Buffer;
    readonly capabilities: number;
    readonly maxTransactSize: number;
    readonly maxReadSize: number;
    readonly maxWriteSize: number;
    readonly systemTime: bigint;
    readonly serverStartTime: bigint;
    readonly token: Buffer;
    readonly contexts: readonly NegotiateContext[];
}
export declare function encodeNegotiateResponse(value: NegotiateResponse): Buffer;
export declare function decodeNegotiateResponse(pdu: Buffer): NegotiateResponse;
/** The data of ENCRYPTION and SIGNING contexts: a count and that many ids, in the order of preference. */
export declare function decodeIds(data: Buffer): number[];
export declare function encodeIds(ids: readonly number[]): Buffer;
export interface PreauthIntegrity {
    readonly hashes: readonly number[];
    readonly salt: Buffer;
}
export declare function decodePreauthIntegrity(data: Buffer): PreauthIntegrity;
export declare function encodePreauthIntegrity({ hashes, salt }: PreauthIntegrity): Buffer;
