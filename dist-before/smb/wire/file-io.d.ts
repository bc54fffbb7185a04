/** CLOSE, FLUSH, READ and WRITE. */
export declare const CLOSE_POSTQUERY_ATTRIB = 1;
export declare const WRITE_FLAG: {
    readonly WRITE_THROUGH: 1;
    readonly UNBUFFERED: 2;
};
export declare const closeRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    flags: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
}, Record<never, never>>>;
export declare const closeResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{
    flags: import("./layout.ts").Field<number>;
    creationTime: import("./layout.ts").Field<bigint>;
    lastAccessTime: import("./layout.ts").Field<bigint>;
    lastWriteTime: import("./layout.ts").Field<bigint>;
    changeTime: import("./layout.ts").Field<bigint>;
    allocationSize: import("./layout.ts").Field<bigint>;
    endOfFile: import("./layout.ts").Field<bigint>;
    attributes: import("./layout.ts").Field<number>;
}, Record<never, never>>>;
export declare const flushRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
}, Record<never, never>>>;
export declare const readRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    flags: import("./layout.ts").Field<number>;
    length: import("./layout.ts").Field<number>;
    offset: import("./layout.ts").Field<bigint>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
    minimumCount: import("./layout.ts").Field<number>;
    channel: import("./layout.ts").Field<number>;
    remainingBytes: import("./layout.ts").Field<number>;
}, Record<never, never>>>;
/** The fixed part of a READ answer; the data follows as buffers of its own and is not copied. */
export declare function encodeReadHead(dataLength: number): Buffer;
export declare const readResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{
    dataRemaining: import("./layout.ts").Field<number>;
}, {
    data: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export declare const writeRequest: import("./layout.ts").Codec<import("./layout.ts").Message<{
    offset: import("./layout.ts").Field<bigint>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
    channel: import("./layout.ts").Field<number>;
    remainingBytes: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
}, {
    data: {
        offset: import("./layout.ts").Field<number>;
        length: import("./layout.ts").Field<number>;
    };
}>>;
export declare const writeResponse: import("./layout.ts").Codec<import("./layout.ts").Message<{
    count: import("./layout.ts").Field<number>;
    remaining: import("./layout.ts").Field<number>;
}, Record<never, never>>>;
