/** QUERY_INFO and SET_INFO; the classes are in file-information.ts and volume-information.ts. */
export declare const INFO_TYPE: {
    readonly FILE: 1;
    readonly FILESYSTEM: 2;
    readonly SECURITY: 3;
    readonly QUOTA: 4;
};
export declare const queryInfoRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    infoType: import("./layout.ts").Field<number>;
    informationClass: import("./layout.ts").Field<number>;
    outputBufferLength: import("./layout.ts").Field<number>;
    additionalInformation: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
}, {
    input: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export declare const setInfoRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    infoType: import("./layout.ts").Field<number>;
    informationClass: import("./layout.ts").Field<number>;
    additionalInformation: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
}, {
    data: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export declare const setInfoResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{}, Record<never, never>>>;
