import type { RefusalCode } from "../base/refusals.ts";
/**
 * Share modes: what an open of a file lets others do while it lasts. Each open says what it wants (`access`) and
 * what later ones may want (`share`), both as sets of read, write and delete.
 *
 *   A new open is let in if its access lies inside the share mode of every open that is there,
 *   and the access of every one of those lies inside its own share mode.
 *
 * An open that wants none of the three (it looks at attributes only) disturbs nobody and is disturbed by nobody.
 *
 * REST calls are opens too, for as long as they take. They share everything, so only the share mode of the SMB
 * handles counts, not what those handles do. Three of them ask for more: Delete File wants no handle at all, and a
 * lease is an open that lasts as long as the lease: it writes and deletes, and lets others read.
 */
export type Access = number;
export declare const NO_ACCESS: Access;
export declare const READ: Access;
export declare const WRITE: Access;
export declare const DELETE: Access;
export declare const ALL_ACCESS: Access;
export interface Open {
    readonly access: Access;
    readonly share: Access;
}
/** Whether two opens may be there at the same time. */
export declare function areCompatible(one: Open, other: Open): boolean;
export declare function mayOpen(wanted: Open, present: readonly Open[]): boolean;
/** What a REST call does to a file, as an SMB client would call it. */
export type RestUse = 
/** Get Properties, Get Metadata: looks, and needs no access. */
"look"
/** Get File, List Ranges, the source of a copy. */
 | "read"
/** Put Range, Set Properties, Set Metadata. */
 | "write"
/** Create File over an existing one, the destination of a copy, the replaced target of a rename. */
 | "overwrite"
/** The source of a rename. */
 | "rename" | "delete" | "lease";
/** How a REST call under way looks to an SMB open. */
export declare function restOpen(use: RestUse): Open;
/** What the handles that are open say to a REST call. */
export declare function checkRestUse(use: RestUse, handles: readonly Open[]): RefusalCode | undefined;
/** What a REST lease in force says to an SMB open: reading and looking only. */
export declare function mayOpenLeased(access: Access): boolean;
