export declare const NEG_STATE: {
    readonly ACCEPT_COMPLETED: 0;
    readonly ACCEPT_INCOMPLETE: 1;
    readonly REJECT: 2;
    readonly REQUEST_MIC: 3;
};
/** What the server sends in NEGOTIATE: NTLMSSP is all it offers. */
export declare function serverHint(): Buffer;
/** A client's token. `raw` is NTLMSSP without an envelope, as some small clients send it. */
export type ClientToken = {
    readonly kind: "raw";
    readonly token: Buffer;
} | {
    readonly kind: "init";
    /** The list as it was sent, which the mechListMIC signs. */
    readonly mechTypes: Buffer;
    readonly isNtlmPreferred: boolean;
    readonly isNtlmOffered: boolean;
    readonly token: Buffer | undefined;
} | {
    readonly kind: "response";
    readonly token: Buffer | undefined;
    readonly mechListMic: Buffer | undefined;
};
export declare function decodeClientToken(data: Buffer): ClientToken;
export interface ServerToken {
    readonly negState: number;
    readonly hasMech: boolean;
    readonly token?: Buffer | undefined;
    readonly mechListMic?: Buffer | undefined;
}
export declare function encodeServerToken({ negState, hasMech, token, mechListMic }: ServerToken): Buffer;
/** A client's first token; for tests and tools. */
export declare function encodeClientInit(token: Buffer): Buffer;
