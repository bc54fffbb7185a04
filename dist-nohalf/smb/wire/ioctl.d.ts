export declare const FSCTL: {
    readonly DFS_GET_REFERRALS: 393620;
    readonly DFS_GET_REFERRALS_EX: 393648;
    readonly GET_COMPRESSION: 589884;
    readonly SET_COMPRESSION: 639040;
    readonly GET_REPARSE_POINT: 589992;
    readonly SET_REPARSE_POINT: 589988;
    readonly DELETE_REPARSE_POINT: 589996;
    readonly CREATE_OR_GET_OBJECT_ID: 590016;
    readonly SET_SPARSE: 590020;
    readonly QUERY_ALLOCATED_RANGES: 606415;
    readonly SET_ZERO_DATA: 622792;
    readonly PIPE_PEEK: 1130508;
    readonly PIPE_WAIT: 1114136;
    readonly PIPE_TRANSCEIVE: 1163287;
    readonly SRV_REQUEST_RESUME_KEY: 1310840;
    readonly SRV_ENUMERATE_SNAPSHOTS: 1327204;
    readonly SRV_COPYCHUNK: 1327346;
    readonly SRV_COPYCHUNK_WRITE: 1343730;
    readonly LMR_REQUEST_RESILIENCY: 1311188;
    readonly QUERY_NETWORK_INTERFACE_INFO: 1311228;
    readonly VALIDATE_NEGOTIATE_INFO: 1311236;
};
export declare const IOCTL_IS_FSCTL = 1;
export declare const ioctlRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    ctlCode: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
    maxInputResponse: import("./layout.ts").Field<number>;
    maxOutputResponse: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
}, {
    input: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
    output: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export declare const ioctlResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{
    ctlCode: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
    flags: import("./layout.ts").Field<number>;
}, {
    input: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
    output: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export interface ValidateNegotiate {
    readonly capabilities: number;
    readonly guid: Buffer;
    readonly securityMode: number;
    readonly dialects: readonly number[];
}
export declare function decodeValidateNegotiate(input: Buffer): ValidateNegotiate;
export declare function encodeValidateNegotiate({ dialects, ...rest }: ValidateNegotiate): Buffer;
/** The answer: `dialect` stands where the request has its count. */
export declare const validateNegotiateResponse: import("./layout.ts").Struct<import("./layout.ts").Values<{
    capabilities: import("./layout.ts").Field<number>;
    guid: import("./layout.ts").Field<Buffer<ArrayBufferLike>>;
    securityMode: import("./layout.ts").Field<number>;
    dialect: import("./layout.ts").Field<number>;
}>>;
export declare const RESUME_KEY_BYTES = 24;
export interface CopyChunk {
    readonly sourceOffset: bigint;
    readonly targetOffset: bigint;
    readonly length: number;
}
export interface CopyChunkRequest {
    readonly key: Buffer;
    readonly chunks: readonly CopyChunk[];
}
/** `chunksMax` is told by its own status and body, so more chunks than that are counted and not read. */
export declare function decodeCopyChunk(input: Buffer, chunksMax: number): CopyChunkRequest & {
    readonly chunkCount: number;
};
export declare function encodeCopyChunk({ key, chunks }: CopyChunkRequest): Buffer;
export declare const copyChunkResponse: import("./layout.ts").Struct<import("./layout.ts").Values<{
    chunksWritten: import("./layout.ts").Field<number>;
    chunkBytesWritten: import("./layout.ts").Field<number>;
    totalBytesWritten: import("./layout.ts").Field<number>;
}>>;
export declare const zeroDataInput: import("./layout.ts").Struct<import("./layout.ts").Values<{
    fileOffset: import("./layout.ts").Field<bigint>;
    beyondFinalZero: import("./layout.ts").Field<bigint>;
}>>;
/** Input and each entry of the output of QUERY_ALLOCATED_RANGES. */
export declare const allocatedRange: import("./layout.ts").Struct<import("./layout.ts").Values<{
    offset: import("./layout.ts").Field<bigint>;
    length: import("./layout.ts").Field<bigint>;
}>>;
