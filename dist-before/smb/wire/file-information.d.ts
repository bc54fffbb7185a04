/** Information classes of files, as QUERY_INFO and SET_INFO carry them ([MS-FSCC] 2.4). */
export declare const FILE_CLASS: {
    readonly DIRECTORY: 1;
    readonly FULL_DIRECTORY: 2;
    readonly BOTH_DIRECTORY: 3;
    readonly BASIC: 4;
    readonly STANDARD: 5;
    readonly INTERNAL: 6;
    readonly EA: 7;
    readonly ACCESS: 8;
    readonly NAME: 9;
    readonly RENAME: 10;
    readonly LINK: 11;
    readonly NAMES: 12;
    readonly DISPOSITION: 13;
    readonly POSITION: 14;
    readonly FULL_EA: 15;
    readonly MODE: 16;
    readonly ALIGNMENT: 17;
    readonly ALL: 18;
    readonly ALLOCATION: 19;
    readonly END_OF_FILE: 20;
    readonly ALTERNATE_NAME: 21;
    readonly STREAM: 22;
    readonly COMPRESSION: 28;
    readonly NETWORK_OPEN: 34;
    readonly ATTRIBUTE_TAG: 35;
    readonly ID_BOTH_DIRECTORY: 37;
    readonly ID_FULL_DIRECTORY: 38;
    readonly VALID_DATA_LENGTH: 39;
    readonly SHORT_NAME: 40;
    readonly HARD_LINK: 46;
    readonly NORMALIZED_NAME: 48;
    readonly ID: 59;
    readonly ID_EXTD_DIRECTORY: 60;
    readonly ID_EXTD_BOTH_DIRECTORY: 63;
    readonly DISPOSITION_EX: 64;
    readonly RENAME_EX: 65;
};
export declare const basicInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    creationTime: import("./layout.ts").Field<bigint>;
    lastAccessTime: import("./layout.ts").Field<bigint>;
    lastWriteTime: import("./layout.ts").Field<bigint>;
    changeTime: import("./layout.ts").Field<bigint>;
    attributes: import("./layout.ts").Field<number>;
}>>;
export declare const standardInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    allocationSize: import("./layout.ts").Field<bigint>;
    endOfFile: import("./layout.ts").Field<bigint>;
    numberOfLinks: import("./layout.ts").Field<number>;
    deletePending: import("./layout.ts").Field<number>;
    directory: import("./layout.ts").Field<number>;
}>>;
export declare const networkOpenInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    creationTime: import("./layout.ts").Field<bigint>;
    lastAccessTime: import("./layout.ts").Field<bigint>;
    lastWriteTime: import("./layout.ts").Field<bigint>;
    changeTime: import("./layout.ts").Field<bigint>;
    allocationSize: import("./layout.ts").Field<bigint>;
    endOfFile: import("./layout.ts").Field<bigint>;
    attributes: import("./layout.ts").Field<number>;
}>>;
export declare const attributeTagInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    attributes: import("./layout.ts").Field<number>;
    reparseTag: import("./layout.ts").Field<number>;
}>>;
export declare const compressionInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    size: import("./layout.ts").Field<bigint>;
}>>;
/** Internal, Position, Allocation, EndOfFile and ValidDataLength. */
export declare const wholeInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    value: import("./layout.ts").Field<bigint>;
}>>;
/** Ea, Access, Mode, Alignment and DispositionEx. */
export declare const wordInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    value: import("./layout.ts").Field<number>;
}>>;
export declare const dispositionInformation: import("./layout.ts").Struct<import("./layout.ts").Values<{
    deletePending: import("./layout.ts").Field<number>;
}>>;
/** Name, NormalizedName and the end of All. */
export declare function encodeNameInformation(name: string): Buffer;
export interface StreamInformation {
    readonly name: string;
    readonly size: bigint;
    readonly allocationSize: bigint;
}
/** One unnamed stream is all a file has here. */
export declare function encodeStreamInformation({ name, size, allocationSize }: StreamInformation): Buffer;
export interface RenameInformation {
    readonly replaceIfExists: boolean;
    readonly rootDirectory: bigint;
    readonly name: string;
}
export declare function decodeRename(data: Buffer): RenameInformation;
export declare function encodeRename({ replaceIfExists, rootDirectory, name }: RenameInformation): Buffer;
