/** Entries of QUERY_DIRECTORY ([MS-FSCC] 2.4): a common beginning, then what each class adds before the name. */
export interface DirectoryEntry {
    readonly name: string;
    readonly fileId: bigint;
    readonly creationTime: bigint;
    readonly lastAccessTime: bigint;
    readonly lastWriteTime: bigint;
    readonly changeTime: bigint;
    readonly endOfFile: bigint;
    readonly allocationSize: bigint;
    readonly attributes: number;
}
interface EntryLayout {
    readonly nameAt: number;
    readonly nameLengthAt: number;
    readonly fileIdAt: number | undefined;
    /** FileNames has the name and nothing else. */
    readonly hasTimes: boolean;
}
export declare function directoryLayout(informationClass: number): EntryLayout;
/** Fills one reply with entries, each on a boundary of 8 bytes and whole. */
export declare class DirectoryPage {
    #private;
    constructor(informationClass: number, bytesMax: number);
    get isEmpty(): boolean;
    /** False when it does not fit any more. */
    add(entry: DirectoryEntry): boolean;
    bytes(): Buffer;
}
export declare function decodeDirectoryEntries(informationClass: number, data: Buffer): DirectoryEntry[];
export {};
