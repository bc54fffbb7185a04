import { type FileId } from "./layout.ts";
/** The chain of create contexts: each with a name of four letters (or a GUID) and data of its own. */
export interface CreateContext {
    /** One character for each byte. */
    readonly name: string;
    readonly data: Buffer;
}
export declare function decodeCreateContexts(chain: Buffer): CreateContext[];
export declare function encodeCreateContexts(contexts: readonly CreateContext[]): Buffer;
export declare const maximalAccessResponse: import("./layout.ts").Struct<import("./layout.ts").Values<{
    queryStatus: import("./layout.ts").Field<number>;
    maximalAccess: import("./layout.ts").Field<number>;
}>>;
export declare const queryOnDiskIdResponse: import("./layout.ts").Struct<import("./layout.ts").Values<{
    diskFileId: import("./layout.ts").Field<bigint>;
    volumeId: import("./layout.ts").Field<bigint>;
}>>;
export declare const allocationSize: import("./layout.ts").Struct<import("./layout.ts").Values<{
    size: import("./layout.ts").Field<bigint>;
}>>;
export declare const timewarp: import("./layout.ts").Struct<import("./layout.ts").Values<{
    time: import("./layout.ts").Field<bigint>;
}>>;
export interface LeaseContext {
    readonly version: 1 | 2;
    readonly key: Buffer;
    readonly state: number;
    readonly flags: number;
    readonly duration: bigint;
    readonly parentKey: Buffer;
    readonly epoch: number;
}
export declare function decodeLease(data: Buffer): LeaseContext;
export declare function encodeLease(lease: LeaseContext): Buffer;
export declare const durableV1Reconnect: import("./layout.ts").Struct<import("./layout.ts").Values<{
    fileId: import("./layout.ts").Field<FileId>;
}>>;
export declare const durableV2Request: import("./layout.ts").Struct<import("./layout.ts").Values<{
    timeout: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
    createGuid: import("./layout.ts").Field<Buffer<ArrayBufferLike>>;
}>>;
export declare const durableV2Response: import("./layout.ts").Struct<import("./layout.ts").Values<{
    timeout: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
}>>;
export declare const durableV2Reconnect: import("./layout.ts").Struct<import("./layout.ts").Values<{
    fileId: import("./layout.ts").Field<FileId>;
    createGuid: import("./layout.ts").Field<Buffer<ArrayBufferLike>>;
    flags: import("./layout.ts").Field<number>;
}>>;
/** The contexts of a CREATE that this server knows, decoded. */
export interface CreateContexts {
    readonly wantsMaximalAccess: boolean;
    readonly wantsDiskId: boolean;
    readonly lease: LeaseContext | undefined;
    readonly allocationSize: bigint | undefined;
    readonly snapshot: bigint | undefined;
    readonly securityDescriptor: Buffer | undefined;
    readonly hasExtendedAttributes: boolean;
    readonly durableV1: "request" | FileId | undefined;
    readonly durableV2: {
        readonly kind: "request";
        readonly timeout: number;
        readonly createGuid: Buffer;
    } | {
        readonly kind: "reconnect";
        readonly fileId: FileId;
        readonly createGuid: Buffer;
    } | undefined;
}
export declare function readCreateContexts(chain: Buffer): CreateContexts;
