import { type FileTime } from "./wire/filetime.ts";
/**
 * A path as CREATE and rename carry it: from the root of the share, names separated by backslashes. A slash separates
 * too, as with Samba, whose tests send it; Windows refuses it.
 */
export interface SmbPath {
    readonly names: readonly string[];
    /** Of an `@GMT-` name on the way: the share as it was then. */
    readonly snapshot: FileTime | undefined;
}
export declare function parsePath(text: string): SmbPath;
