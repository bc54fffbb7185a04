export declare const SHARE_TYPE: {
    readonly DISK: 1;
    readonly PIPE: 2;
};
export declare const SHARE_FLAG: {
    readonly NO_CACHING: 48;
    readonly ENCRYPT_DATA: 32768;
};
export declare const SHARE_CAPABILITY: {
    readonly CONTINUOUS_AVAILABILITY: 16;
};
export declare const treeConnectRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    flags: import("./layout.ts").Field<number>;
}, {
    path: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export declare const treeConnectResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{
    shareType: import("./layout.ts").Field<number>;
    shareFlags: import("./layout.ts").Field<number>;
    capabilities: import("./layout.ts").Field<number>;
    maximalAccess: import("./layout.ts").Field<number>;
}, Record<never, never>>>;
