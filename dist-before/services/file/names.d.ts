/** Which share, and where in it. */
export interface ShareRef {
    readonly account: string;
    readonly share: string;
}
export interface SnapshotRef extends ShareRef {
    /** The time of a share snapshot, in ticks; the share as it is now without it. */
    readonly snapshot?: bigint | undefined;
}
export interface PathRef extends SnapshotRef {
    /** Names from the root down; none for the root directory. */
    readonly path: readonly string[];
}
export declare function checkShareName(name: string): void;
/**
 * The names of a path below a share. Empty segments are left out, so a trailing slash names the same thing.
 * Without `keepsDots`, dots at the end of each name are cut off, as Windows does and as clients of the File
 * service expect.
 */
export declare function splitPath(path: string, keepsDots?: boolean): string[];
/** One name, as it may stand in a directory. */
export declare function checkName(name: string): string;
/**
 * What tells two names apart: their upper-case form, letter by letter. A letter that has no single upper-case
 * letter stays as it is ("ß" does not become "SS"), as in the tables of Windows file systems.
 */
export declare function foldName(name: string): string;
