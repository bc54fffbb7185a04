/**
 * The smallest view of a file system that the extents need. One device is one directory; a file in it has a
 * plain name. Errors of the system pass through as they are (`code` says which), the log gives them a meaning.
 *
 * What a device promises after a crash, and what it does not:
 *   - bytes written before a `sync` of their file that resolved are there, and so is the length that holds them;
 *   - bytes written later may be there, in part or not at all, in any order;
 *   - a created or removed name is certain only after `syncDirectory`.
 */
export interface Device {
    /** For messages: where the files are. */
    readonly place: string;
    /** A new file, open for writing and reading. Rejects with EEXIST when the name is taken. */
    create(name: string): Promise<DeviceFile>;
    /** An existing file, open for reading. Rejects with ENOENT when there is none. */
    open(name: string): Promise<DeviceFile>;
    list(): Promise<DeviceEntry[]>;
    /** Readers that have the file open keep it. Rejects with ENOENT when there is none. */
    remove(name: string): Promise<void>;
    syncDirectory(): Promise<void>;
}
export interface DeviceEntry {
    readonly name: string;
    readonly bytes: number;
}
export interface DeviceFile {
    /** Writes all parts one after the other from `offset`. When it rejects, any part of it may be in the file. */
    write(parts: readonly Uint8Array[], offset: number): Promise<void>;
    /** Fills the parts one after the other from `offset`; returns the bytes read, fewer only at the end of the file. */
    read(parts: readonly Uint8Array[], offset: number): Promise<number>;
    sync(): Promise<void>;
    size(): Promise<number>;
    close(): Promise<void>;
}
/** What is left of `parts` after their first `done` bytes: for reads and writes that stop half way. */
export declare function partsAfter(parts: readonly Uint8Array[], done: number): Uint8Array[];
export declare function bytesIn(parts: readonly Uint8Array[]): number;
