import type { FileTime } from "../wire/filetime.ts";
export declare const NTLM_FLAG: {
    readonly UNICODE: 1;
    readonly REQUEST_TARGET: 4;
    readonly SIGN: 16;
    readonly SEAL: 32;
    readonly NTLM: 512;
    readonly ANONYMOUS: 2048;
    readonly ALWAYS_SIGN: 32768;
    readonly TARGET_TYPE_SERVER: 131072;
    readonly EXTENDED_SESSIONSECURITY: 524288;
    readonly TARGET_INFO: 8388608;
    readonly VERSION: 33554432;
    readonly KEY_128: 536870912;
    readonly KEY_EXCH: 1073741824;
    readonly KEY_56: 2147483648;
};
export declare function decodeNtlmNegotiate(message: Buffer): {
    readonly flags: number;
};
export interface NtlmChallenge {
    /** What the client offered. */
    readonly offered: number;
    readonly serverChallenge: Buffer;
    readonly serverName: string;
    readonly time: FileTime;
}
export declare function encodeNtlmChallenge({ offered, serverChallenge, serverName, time }: NtlmChallenge): Buffer;
export interface NtlmAuthenticate {
    readonly ntResponse: Buffer;
    readonly domain: string;
    readonly user: string;
    readonly workstation: string;
    readonly encryptedSessionKey: Buffer;
    readonly flags: number;
}
export declare const MIC_AT = 72;
export declare const MIC_BYTES = 16;
export declare function decodeNtlmAuthenticate(message: Buffer): NtlmAuthenticate;
/** Whether the blob of an NTLMv2 response says that its message carries a MIC. */
export declare function hasMic(blob: Buffer): boolean;
