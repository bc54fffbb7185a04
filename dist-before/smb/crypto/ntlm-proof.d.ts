import { type NtlmAuthenticate } from "./ntlmssp.ts";
/** The sums of NTLMv2 ([MS-NLMP] 3.3.2), each by its name there. */
export declare function ntHash(password: string): Buffer;
/** Only the user is put into upper case; the domain counts exactly as the client sent it. */
export declare function ntowfv2(hash: Buffer, user: string, domain: string): Buffer;
export declare const PROOF_BYTES = 16;
/** Proof, then at least the fixed part of the blob and the end of its list. */
export declare const NTLMV2_RESPONSE_BYTES_MIN: number;
export declare function ntProof(key: Buffer, serverChallenge: Buffer, blob: Buffer): Buffer;
export declare function sessionBaseKey(key: Buffer, proof: Buffer): Buffer;
/** The key of the session; undefined when the client's form of it has the wrong length. */
export declare function exportedSessionKey(base: Buffer, { flags, encryptedSessionKey }: NtlmAuthenticate): Buffer | undefined;
export interface NtlmMessages {
    readonly negotiate: Buffer;
    readonly challenge: Buffer;
    readonly authenticate: Buffer;
}
/** The MIC over the three messages, the place of the MIC itself taken as zeros. */
export declare function messagesMic(sessionKey: Buffer, { negotiate, challenge, authenticate }: NtlmMessages): Buffer;
/** The signature over SPNEGO's list of mechanisms, the first one (number 0) in its direction. */
export declare function mechListMic(sessionKey: Buffer, direction: "client" | "server", mechTypes: Buffer): Buffer;
export declare function isEqual(one: Buffer, other: Buffer): boolean;
