import type { Reader, Writer } from "../../store/kv.ts";
import type { FileService } from "./file-service.ts";
import type { ShareRef } from "./names.ts";
/**
 * Security descriptors are kept once for each share, under a key made of what they say: the same descriptor has the
 * same key however often it is stored, and a file names only the key.
 */
export type PermissionWish = {
    readonly sddl: string;
} | {
    readonly key: string;
} | "inherit" | "preserve" | undefined;
/** The descriptor of a new share's root: administrators and the system everything, users by the usual rules. */
export declare const DEFAULT_SDDL: string;
export declare function keyOfSddl(sddl: string): string;
export declare function putPermission(write: Writer, share: bigint, sddl: string): string;
export declare function findPermission(read: Reader, share: bigint, key: string): Promise<string>;
/** The key a node shall have, given what the client wishes, what it has, and what its directory has. */
export declare function settlePermission(write: Writer, share: bigint, wish: PermissionWish, fallback: {
    readonly own: string | undefined;
    readonly inherited: string | undefined;
}): Promise<string | undefined>;
export declare function createPermission(files: FileService, ref: ShareRef, sddl: string): Promise<string>;
export declare function getPermission(files: FileService, ref: ShareRef, key: string): Promise<string>;
