/** QUERY_DIRECTORY and CHANGE_NOTIFY; the entries are in directory-entry.ts and notify-record below. */
export declare const QUERY_DIRECTORY_FLAG: {
    readonly RESTART_SCANS: 1;
    readonly RETURN_SINGLE_ENTRY: 2;
    readonly INDEX_SPECIFIED: 4;
    readonly REOPEN: 16;
};
export declare const queryDirectoryRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    informationClass: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
    fileIndex: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
    outputBufferLength: import("./layout.ts").Field<number>;
}, {
    pattern: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
/** Answer of QUERY_DIRECTORY, QUERY_INFO and CHANGE_NOTIFY alike. */
export declare const outputResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{}, {
    output: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
/** The fixed part of such an answer; what follows is a buffer of its own. */
export declare function encodeOutputHead(length: number): Buffer;
export declare const NOTIFY_WATCH_TREE = 1;
export declare const NOTIFY_FILTER: {
    readonly FILE_NAME: 1;
    readonly DIR_NAME: 2;
    readonly ATTRIBUTES: 4;
    readonly SIZE: 8;
    readonly LAST_WRITE: 16;
    readonly LAST_ACCESS: 32;
    readonly CREATION: 64;
    readonly EA: 128;
    readonly SECURITY: 256;
};
export declare const NOTIFY_ACTION: {
    readonly ADDED: 1;
    readonly REMOVED: 2;
    readonly MODIFIED: 3;
    readonly RENAMED_OLD_NAME: 4;
    readonly RENAMED_NEW_NAME: 5;
};
export declare const changeNotifyRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    flags: import("./layout.ts").Field<number>;
    outputBufferLength: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
    completionFilter: import("./layout.ts").Field<number>;
}, Record<never, never>>>;
export interface NotifyRecord {
    readonly action: number;
    /** Relative to the watched directory, with backslashes. */
    readonly name: string;
}
export declare function notifyRecordBytes({ name }: NotifyRecord): number;
/** FILE_NOTIFY_INFORMATION: records on boundaries of 4 bytes. */
export declare function encodeNotifyRecords(records: readonly NotifyRecord[]): Buffer;
export declare function decodeNotifyRecords(data: Buffer): NotifyRecord[];
