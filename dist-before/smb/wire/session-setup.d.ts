export declare const SESSION_BINDING = 1;
export declare const SESSION_FLAG: {
    readonly GUEST: 1;
    readonly NULL: 2;
    readonly ENCRYPT_DATA: 4;
};
export declare const sessionSetupRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    flags: import("./layout.ts").Field<number>;
    securityMode: import("./layout.ts").Field<number>;
    capabilities: import("./layout.ts").Field<number>;
    channel: import("./layout.ts").Field<number>;
    previousSessionId: import("./layout.ts").Field<bigint>;
}, {
    token: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export declare const sessionSetupResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{
    sessionFlags: import("./layout.ts").Field<number>;
}, {
    token: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
/** LOGOFF, ECHO, TREE_DISCONNECT, CANCEL and the answers of FLUSH and LOCK: a size and nothing else. */
export declare const emptyBody: import("./layout.ts").Codec<import("./layout.ts").Message<{}, Record<never, never>>>;
