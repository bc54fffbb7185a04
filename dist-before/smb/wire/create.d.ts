import { type Decoded } from "./layout.ts";
export declare const DISPOSITION: {
    readonly SUPERSEDE: 0;
    readonly OPEN: 1;
    readonly CREATE: 2;
    readonly OPEN_IF: 3;
    readonly OVERWRITE: 4;
    readonly OVERWRITE_IF: 5;
};
export declare const CREATE_ACTION: {
    readonly SUPERSEDED: 0;
    readonly OPENED: 1;
    readonly CREATED: 2;
    readonly OVERWRITTEN: 3;
};
export declare const CREATE_OPTION: {
    readonly DIRECTORY_FILE: 1;
    readonly WRITE_THROUGH: 2;
    readonly NON_DIRECTORY_FILE: 64;
    readonly CREATE_TREE_CONNECTION: 128;
    readonly DELETE_ON_CLOSE: 4096;
    readonly OPEN_BY_FILE_ID: 8192;
    readonly RESERVE_OPFILTER: 1048576;
};
export declare const ACCESS: {
    readonly READ_DATA: 1;
    readonly WRITE_DATA: 2;
    readonly APPEND_DATA: 4;
    readonly READ_EA: 8;
    readonly WRITE_EA: 16;
    readonly EXECUTE: 32;
    readonly DELETE_CHILD: 64;
    readonly READ_ATTRIBUTES: 128;
    readonly WRITE_ATTRIBUTES: 256;
    readonly DELETE: 65536;
    readonly READ_CONTROL: 131072;
    readonly WRITE_DAC: 262144;
    readonly WRITE_OWNER: 524288;
    readonly SYNCHRONIZE: 1048576;
    readonly SYSTEM_SECURITY: 16777216;
    readonly MAXIMUM_ALLOWED: 33554432;
    readonly GENERIC_ALL: 268435456;
    readonly GENERIC_EXECUTE: 536870912;
    readonly GENERIC_WRITE: 1073741824;
    readonly GENERIC_READ: 2147483648;
    /** All that a file has: what the holder of an account key may always do. */
    readonly FILE_ALL: 2032127;
};
export declare const SHARE_ACCESS: {
    readonly READ: 1;
    readonly WRITE: 2;
    readonly DELETE: 4;
};
export declare const ATTRIBUTE: {
    readonly READONLY: 1;
    readonly HIDDEN: 2;
    readonly SYSTEM: 4;
    readonly DIRECTORY: 16;
    readonly ARCHIVE: 32;
    readonly NORMAL: 128;
    readonly TEMPORARY: 256;
    readonly SPARSE: 512;
    readonly OFFLINE: 4096;
    readonly NOT_CONTENT_INDEXED: 8192;
};
export declare const createRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    requestedOplockLevel: import("./layout.ts").Field<number>;
    impersonationLevel: import("./layout.ts").Field<number>;
    desiredAccess: import("./layout.ts").Field<number>;
    fileAttributes: import("./layout.ts").Field<number>;
    shareAccess: import("./layout.ts").Field<number>;
    createDisposition: import("./layout.ts").Field<number>;
    createOptions: import("./layout.ts").Field<number>;
}, {
    name: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
    contexts: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export type CreateRequest = Decoded<typeof createRequest>;
export declare const createResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{
    oplockLevel: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
    createAction: import("./layout.ts").Field<number>;
    creationTime: import("./layout.ts").Field<bigint>;
    lastAccessTime: import("./layout.ts").Field<bigint>;
    lastWriteTime: import("./layout.ts").Field<bigint>;
    changeTime: import("./layout.ts").Field<bigint>;
    allocationSize: import("./layout.ts").Field<bigint>;
    endOfFile: import("./layout.ts").Field<bigint>;
    fileAttributes: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
}, {
    contexts: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
