import { type Clock } from "./base/clock.ts";
/**
 * The data directory: one Holdfast at a time, and only a directory that is ours.
 *
 *   holdfast.json   {"format":1,...}: what the rest of the directory is written in
 *   lock/           who uses it now (see directory-lock.ts)
 *   everything else belongs to the store and the extents
 *
 * What cannot be used is refused before anything in it is touched.
 */
export interface DataDirectory {
    /** Open in this process; workers that inherit it keep the lock alive until the last of them is gone. */
    readonly lockDescriptor: number;
    release(): Promise<void>;
}
export declare const DATA_FORMAT = 1;
export interface OpenDataDirectory {
    readonly clock?: Clock;
    readonly createdBy?: string;
}
/** Throws `UnusableDirectory` with one line that names the directory or the file. */
export declare function openDataDirectory(path: string, options?: OpenDataDirectory): Promise<DataDirectory>;
